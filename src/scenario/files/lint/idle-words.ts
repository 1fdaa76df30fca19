import type { TaskShape } from '../../../engine/tasks/plan-task.ts'
import type { Fault } from '../../faults/index.ts'
import { cutAfter, type MediaShape, type Respond, type StreamShape } from '../../rules/rule.ts'

/** Words of which nothing comes, by the keys that lead to them, and why. */
export type Idle = readonly [place: readonly PropertyKey[], why: string]

/** Those keys of a part that are there. */
function present<Part extends object>(part: Part, keys: readonly (keyof Part & string)[]): string[] {
  return keys.filter((key) => part[key] !== undefined)
}

/** A body is the whole answer, and a code one in the words of the drawing channel. */
export function idleInRespond(respond: Respond): Idle[] {
  const { body, code, retryAfter } = respond
  if (body !== undefined) {
    const idle = present(respond, ['error', 'code', 'description'])
    return idle.map((key) => [[key], 'body is the whole answer'])
  }
  const beside = code === undefined ? present(respond, ['description']) : present(respond, ['error'])
  const why =
    code === undefined ? 'it goes with code, which is missing' : 'code answers as the drawing channel does'
  const format = retryAfter === undefined ? present(respond, ['retryAfterFormat']) : []
  return [
    ...beside.map((key): Idle => [[key], why]),
    ...format.map((key): Idle => [[key], 'it goes with retryAfter, which is missing']),
  ]
}

/** A timeline stands instead of all that is drawn. */
export function idleInTask(task: TaskShape): Idle[] {
  const { timeline, outcome } = task
  if (timeline !== undefined) {
    const idle = present(task, ['queued', 'render', 'outcome', 'failAt', 'expire'])
    return idle.map((key) => [[key], 'timeline says all that happens'])
  }
  return [
    ...present(task, ['unsafe']).map((key): Idle => [[key], 'it goes with timeline, which is missing']),
    ...(outcome === 'success' ? present(task, ['failAt']) : []).map((key): Idle => [
      [key],
      'outcome is success',
    ]),
  ]
}

/** A file is sent as it is. */
export function idleInMedia(media: MediaShape): Idle[] {
  if (media.file === undefined) return []
  return present(media, ['seconds', 'size', 'fps']).map((key) => [[key], 'file is sent as it is'])
}

/** A stream ends once, and nothing comes behind its end. */
export function idleInStream({ stall, error, cut }: StreamShape): Idle[] {
  const idle: Idle[] = []
  const isCut = cut !== undefined && cutAfter(cut) <= (error?.afterChunk ?? Infinity)
  if (error && cut) {
    const [key, end] = isCut ? ['error', cutAfter(cut)] : ['cut', error.afterChunk]
    idle.push([[key], `the stream has ended behind chunk ${end}`])
  }
  const endsAfter = Math.min(error?.afterChunk ?? Infinity, cutAfter(cut))
  if (stall && stall.afterChunk > endsAfter)
    idle.push([['stall'], `the stream has ended behind chunk ${endsAfter}`])
  if (error && !isCut && (error.kind === 'close' || error.kind === 'reset')) {
    const words = present(error, ['status', 'message'])
    idle.push(...words.map((key): Idle => [['error', key], `an error of kind ${error.kind} has no words`]))
  }
  return idle
}

/** A connection is reset before there is an answer, or in the middle of it. */
export function idleInFault(fault: Fault): Idle[] {
  if (fault.type !== 'reset') return []
  if (fault.phase === 'before-headers')
    return present(fault, ['at']).map((key) => [[key], 'phase is before-headers'])
  if (fault.phase === undefined && fault.at === undefined) return []
  return present(fault, ['lost']).map((key) => [[key], 'the answer begins before the connection is reset'])
}
