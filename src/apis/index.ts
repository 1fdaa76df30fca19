import { balanceApi } from './balance/api.ts'
import { chatApi } from './chat/api.ts'
import { drawingApi } from './drawing/api.ts'
import { embeddingsApi } from './embeddings/api.ts'
import { imagesApi } from './images/api.ts'
import { messagesApi } from './messages/api.ts'
import { modelsApi } from './models/api.ts'
import { nativeTextApi } from './native-text/api.ts'
import { openaiVideoApi } from './video/openai/api.ts'
import { responsesApi } from './responses/api.ts'
import { videoApi } from './video/api.ts'
import { tableOf, type Api, type NamesOf, type Sample } from './define/api.ts'
import { knownApis } from './define/own-apis.ts'
import type { OwnOperation } from '../engine/operations/own-api.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { ApiExploration, Variant } from './define/exploration.ts'
import type { ApiFlow } from './define/flow.ts'
import type { InvariantDefinition } from './define/invariant.ts'
import type { Flow } from '../scenario/vocabulary/types.ts'

/** The APIs that greenroom serves. This is the only place that lists them: everything else is derived from it. */
export const apis = [
  videoApi,
  openaiVideoApi,
  nativeTextApi,
  chatApi,
  responsesApi,
  embeddingsApi,
  imagesApi,
  modelsApi,
  messagesApi,
  balanceApi,
  drawingApi,
] as const

/** What the reference client can do, in the order in which `greenroom init` offers it. */
export const shippedFlows: readonly ApiFlow[] = apis.flatMap((api: Api) => api.flows ?? [])

/**
 * The base URLs of APIs, by the names that a banner shows.
 * @param url that of the gateway.
 * @param own the option `apis`.
 */
export function baseUrls(url: string, own: unknown): Record<string, string> {
  const bases = apisWith(own).flatMap(({ base }) => (base ? [base] : []))
  return Object.fromEntries(bases.map(({ name, path }) => [name, url + path]))
}

/** The environment variables of the SDKs of each API that has some, with `${url}` and `${key}`. */
export const sdkVariables: readonly Readonly<Record<string, string>>[] = apis.flatMap(({ variables }: Api) =>
  variables ? [variables] : [],
)

/** Lines to paste that call them. */
export const samples: readonly Sample[] = apis.flatMap((api: Api) => api.samples ?? [])

/** What good clients of them never break, besides what every good client never breaks. */
export const shippedInvariants: readonly InvariantDefinition[] = apis.flatMap(
  (api: Api) => api.invariants ?? [],
)

/** Gateways that differ from ours in one way, for exploration. */
export const shippedVariants: readonly Variant[] = apis.flatMap(
  ({ exploration }: Api) => exploration?.variants ?? [],
)

/** How APIs refuse a task for which their queue has no room. */
export const fullQueues = apis.flatMap(({ exploration }: Api) => exploration?.fullQueue ?? [])

/** The ways in which texts end, besides complete answers. */
export { textEnds } from './text/ends/lists.ts'

/** What the API of an operation says of exploration. */
export function explorationOf(operation: string): ApiExploration {
  const served: readonly Api[] = apis
  return served.find(({ operations }) => operations.some(({ name }) => name === operation))?.exploration ?? {}
}

/**
 * @param name of a flow, which schemas know.
 * @param given the value of `apis`, whose definitions bring flows, too.
 * @throws {TypeError} for one that no API has.
 */
export function findFlow(name: Flow, given?: unknown): ApiFlow {
  const flow = flowsWith(given).find((each) => each.name === name)
  if (!flow) throw new TypeError(`There is no flow ${JSON.stringify(name)}.`)
  return flow
}

/** What the reference client can do. @param given the value of `apis`, whose definitions bring flows, too. */
export function flowsWith(given: unknown): readonly ApiFlow[] {
  return [...shippedFlows, ...knownApis(given).flatMap(({ flows = [] }) => flows)]
}

/** The table of their operations, for whatever knows of no simulator. */
export const shippedOperations = tableOf(apis)

/**
 * The table of their operations and of those of further APIs, for checks of files and options.
 * @param given the value of `apis`. Entries that are not APIs are ignored; the simulator refuses them.
 */
export function operationsWith(given: unknown): OperationTable {
  const all = apisWith(given)
  return all.length === apis.length ? shippedOperations : tableOf(all)
}

/** The APIs that greenroom serves, and further ones. @param given as for `operationsWith`. */
export function apisWith(given: unknown): readonly Api[] {
  return [...apis, ...knownApis(given)]
}

/**
 * The name of an operation.
 *
 * @example
 * const polls: Operation[] = ['video.poll', 'videos.retrieve', 'mj.fetch']
 * sim.addRule({ match: { op: polls }, chance: '10%', respond: { status: 502 } })
 */
export type Operation = NamesOf<typeof apis> | OwnOperation

/**
 * An operation, or several by `*`: `video.*`.
 *
 * @example
 * const op: OperationPattern = 'videos.*'
 * sim.next(op, { delay: '3s' })
 * sim.rules() // → [{ layer: 'next', rule: { match: { op: 'videos.*' }, … }, … }]
 */
export type OperationPattern = Operation | `${string}*${string}`

/**
 * The gateway's operations. Rules, journal, verdicts and docs call them by these names, which survive a
 * change of path.
 *
 * @example
 * operations.filter((operation) => operation.startsWith('video.')) // → ['video.submit', 'video.poll', 'video.content']
 */
export const operations = shippedOperations.names as readonly string[] as readonly Operation[]
