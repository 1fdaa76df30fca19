import { balanceApi } from './balance/api.ts'
import { chatApi } from './chat/api.ts'
import { drawingApi } from './drawing/api.ts'
import { embeddingsApi } from './embeddings/api.ts'
import { imagesApi } from './images/api.ts'
import { messagesApi } from './messages/api.ts'
import { modelsApi } from './models/api.ts'
import { nativeTextApi } from './native-text/api.ts'
import { openaiVideoApi } from './openai-video/api.ts'
import { responsesApi } from './responses/api.ts'
import { videoApi } from './video/api.ts'
import { lifecyclesOf, tableOf, type Api, type NamesOf } from './define/api.ts'
import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import type { ApiFlow } from './define/flow.ts'
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

/** The lifecycles of the kinds of tasks, as far as no option replaces them. */
export const shippedLifecycles: readonly Lifecycle[] = lifecyclesOf(apis, {})

/** The lifecycle of a kind of tasks. */
export function findLifecycle(kind: string): Lifecycle {
  return shippedLifecycles.find(({ name }) => name === kind)!
}

/** @param name of a flow, which schemas know. */
export function findFlow(name: Flow): ApiFlow {
  return shippedFlows.find((flow) => flow.name === name)!
}

/** The table of their operations, for whatever knows of no simulator. */
export const shippedOperations = tableOf(apis)

/**
 * The name of an operation.
 *
 * @example
 * const polls: Operation[] = ['video.poll', 'videos.retrieve', 'mj.fetch']
 * sim.addRule({ match: { op: polls }, chance: '10%', respond: { status: 502 } })
 */
export type Operation = NamesOf<typeof apis>

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
