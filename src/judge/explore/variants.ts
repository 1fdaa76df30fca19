import { apis } from '../../apis/index.ts'
import type { Api } from '../../apis/define/api.ts'
import type { ApiExploration, Variant } from '../../apis/define/exploration.ts'
import { knownApis } from '../../apis/define/own-apis.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

export type { Variant } from '../../apis/define/exploration.ts'

const served: readonly Api[] = apis

/** Gateways that differ from ours in one way. */
export const variants = served.flatMap(({ exploration }) => exploration?.variants ?? [])

/**
 * The variants for a scenario. At APIs of users, links expire only if they do in the scenario: some vendors give no new link.
 */
export function variantsFor({ config }: Scenario): Variant[] {
  const own = config?.resultExpiresAfter === undefined ? [] : knownApis(config.apis)
  return [...variants, ...own.flatMap(({ exploration }) => exploration?.variants ?? [])]
}

/** What the API of an operation says of exploration. */
export function explorationOf(operation: string): ApiExploration {
  return served.find(({ operations }) => operations.some(({ name }) => name === operation))?.exploration ?? {}
}
