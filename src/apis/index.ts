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
import { tableOf, type NamesOf } from './define/api.ts'

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
