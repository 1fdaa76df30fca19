/**
 * The gateway's operations. Rules, journal, verdicts and docs call them by these names, which survive a
 * change of path.
 *
 * @example
 * operations.filter((operation) => operation.startsWith('video.')) // → ['video.submit', 'video.poll', 'video.content']
 */
export const operations = [
  'video.submit',
  'video.poll',
  'video.content',
  'videos.create',
  'videos.retrieve',
  'videos.remix',
  'videos.list',
  'videos.delete',
  'text.generate',
  'text.stream',
  'text.count',
  'text.embed',
  'text.embed-batch',
  'text.models',
  'text.model',
  'chat.complete',
  'models.list',
  'models.get',
  'models.prices',
  'mj.imagine',
  'mj.action',
  'mj.change',
  'mj.simple-change',
  'mj.blend',
  'mj.describe',
  'mj.modal',
  'mj.shorten',
  'mj.edits',
  'mj.video',
  'mj.upload',
  'mj.swap',
  'mj.fetch',
  'mj.list',
  'mj.seed',
  'mj.image',
  'mj.film',
  'mj.uploaded',
  'mj.all',
  'mj.queue',
  'mj.cancel',
] as const

/**
 * The name of an operation.
 *
 * @example
 * const polls: Operation[] = ['video.poll', 'videos.retrieve', 'mj.fetch']
 * sim.addRule({ match: { op: polls }, chance: '10%', respond: { status: 502 } })
 */
export type Operation = (typeof operations)[number]

/**
 * An operation, or several by `*`: `video.*`.
 *
 * @example
 * const op: OperationPattern = 'videos.*'
 * sim.next(op, { delay: '3s' })
 * sim.rules() // → [{ layer: 'next', rule: { match: { op: 'videos.*' }, … }, … }]
 */
export type OperationPattern = Operation | `${string}*${string}`

/** Those that make a task. */
export const submissions = [
  'video.submit',
  'videos.create',
  'videos.remix',
  'mj.imagine',
  'mj.action',
  'mj.change',
  'mj.simple-change',
  'mj.blend',
  'mj.describe',
  'mj.shorten',
  'mj.edits',
  'mj.video',
  'mj.swap',
] as const satisfies readonly Operation[]
