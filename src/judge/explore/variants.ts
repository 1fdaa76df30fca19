import { apis } from '../../apis/index.ts'
import type { Api } from '../../apis/define/api.ts'
import type { ApiExploration, Variant } from '../../apis/define/exploration.ts'
import { knownApis } from '../../apis/define/own-apis.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

export type { Variant } from '../../apis/define/exploration.ts'

const served: readonly Api[] = apis

/** Gateways that differ from ours in one way. */
export const variants = served.flatMap(({ exploration }) => exploration?.variants ?? [])

/** How APIs refuse a task for which their queue has no room. */
export const fullQueues = served.flatMap(({ exploration }) => exploration?.fullQueue ?? [])

/** The variants for a scenario. */
export function variantsFor({ config }: Pick<Scenario, 'config'>): Variant[] {
  const own = knownApis(config?.apis).flatMap(({ exploration }) => exploration?.variants ?? [])
  return [...variants, ...own.filter(({ needs }) => needs === undefined || config?.[needs] !== undefined)]
}

/** What the API of an operation says of exploration. */
export function explorationOf(operation: string): ApiExploration {
  return served.find(({ operations }) => operations.some(({ name }) => name === operation))?.exploration ?? {}
}
