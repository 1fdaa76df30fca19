import { apis } from '../../apis/index.ts'
import type { Api } from '../../apis/define/api.ts'
import type { Exploration } from '../../apis/define/exploration.ts'

export type { Variant } from '../../apis/define/exploration.ts'

const served: readonly Api[] = apis

/** Gateways that differ from ours in one way. */
export const variants = served.flatMap(({ exploration }) => exploration?.variants ?? [])

/** What the API of an operation says of exploration. */
export function explorationOf(operation: string): Exploration {
  return served.find(({ operations }) => operations.some(({ name }) => name === operation))?.exploration ?? {}
}
