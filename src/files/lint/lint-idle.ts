import { replaces } from '../../gateway/replies/scripted.ts'
import { type Fault, findFault, losesRequest } from '../../scenario/faults/index.ts'
import type {
  Attempt,
  Scenario,
  MediaShape,
  Respond,
  Rule,
  StreamShape,
  Throttle,
} from '../../scenario/vocabulary/types.ts'
import { cutAfter } from '../../scenario/rules/rule.ts'
import { effectOf, faultOf } from '../../scenario/rules/rule-state.ts'
import type { LintFinding } from '../types.ts'
import { ruleName } from './lint-rules.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'

/** Finds keys of rules and throttles without effect, because other keys override them. */
export function lintIdle({ rules = [], throttles = [] }: Scenario): LintFinding[] {
  return [
    ...throttles.flatMap((limit, index) => {
      const name = `throttle "${limit.id ?? `throttle-${index + 1}`}"`
      return idleInThrottle(limit).map((idle) => toFinding(['throttles', index], name, idle))
    }),
    ...rules.flatMap((rule, index) => {
      const name = ruleName(rule, index)
      return idleInRule(rule).map((idle) => toFinding(['rules', index], name, idle))
    }),
  ]
}

function toFinding(place: readonly PropertyKey[], name: string, [inside, why]: Idle): LintFinding {
  const message = `${name}: ${inside.map(String).join('.')} has no effect: ${why}. Leave one out.`
  return { severity: 'mistake', place: [...place, ...inside], message }
}

function idleInThrottle({ respond, per, bucket, concurrent, workers, outage }: Throttle): Idle[] {
  const counts = bucket !== undefined || concurrent !== undefined
  const idle: Idle[] = []
  if (workers !== undefined && !counts && outage === undefined) {
    if (respond) idle.push([['respond'], 'workers queue tasks and never refuse them'])
    if (per === 'key') idle.push([['per'], 'workers belong to the whole namespace'])
  }
  if (per !== undefined && !counts && workers === undefined)
    idle.push([['per'], 'an outage affects all keys'])
  const { status = 429, body, error, code } = respond ?? {}
  if (status < 400 && [body, error, code].every((part) => part === undefined))
    idle.push([['respond', 'status'], 'only an answer from 400 on refuses by its status alone'])
  return [...idle, ...(respond ? prefixPlaces(['respond'], idleInRespond(respond)) : [])]
}

/** An effect of a rule on a request, with its place in the rule. */
interface Deed {
  readonly place: readonly PropertyKey[]
  readonly respond?: Respond | undefined
  readonly fault?: Fault | undefined
}

function idleInRule(rule: Rule): Idle[] {
  const { task, media, stream, attempts = [] } = rule
  const own: Deed = { place: [], respond: rule.respond, fault: rule.fault && faultOf(rule.fault) }
  const tried = attempts.flatMap((attempt, index) => toDeeds(attempt, ['attempts', index]))
  return [
    ...(rule.attempts && tried.length === 0 ? [[['attempts'], 'all of them are ok'] as const] : []),
    ...idleReplaced(rule, own, tried),
    ...[own, ...tried].flatMap(({ place, respond, fault }) => [
      ...(respond ? prefixPlaces([...place, 'respond'], idleInRespond(respond)) : []),
      ...(fault ? prefixPlaces([...place, 'fault'], idleInFault(fault)) : []),
    ]),
    ...(task ? prefixPlaces(['task'], idleInTask(task)) : []),
    ...(media ? prefixPlaces(['media'], idleInMedia(media)) : []),
    ...(stream ? prefixPlaces(['stream'], idleInStream(stream)) : []),
    ...(rule.answer && stream?.text !== undefined
      ? [[['stream', 'text'], 'answer is sent instead'] as const]
      : []),
  ]
}

/**
 * Finds effects that another effect replaces. A fault replaces a response, an attempt the effect of the rule, and a response that
 * of the gateway.
 */
function idleReplaced(rule: Rule, own: Deed, tried: readonly Deed[]): Idle[] {
  const idle: Idle[] = []
  for (const key of ['respond', 'fault'] as const) {
    if (own[key] && tried.length > 0 && tried.every((deed) => deed[key]))
      idle.push([[key], `every attempt has its own ${key}`])
  }
  const deeds = rule.attempts ? tried : [own]
  const whole = deeds.map((deed) => ({
    ...deed,
    respond: deed.respond ?? own.respond,
    fault: deed.fault ?? own.fault,
  }))
  for (const [index, { respond, fault }] of whole.entries()) {
    if (!respond || !fault || !losesRequest(fault)) continue
    const { place, ...effect } = deeds[index]!
    const where = effect.respond ? [...place, ...(effect.fault ? ['respond'] : [])] : ['respond']
    idle.push([where, `the fault ${fault.type} prevents any response`])
  }
  const isInstead = ({ respond, fault }: Deed): boolean =>
    (respond !== undefined && replaces(respond)) || (fault !== undefined && losesRequest(fault))
  if (whole.length === 0 || !whole.every(isInstead)) return idle
  const late = (['task', 'answer', 'stream', 'media'] as const).filter((key) => rule[key] !== undefined)
  const why = whole.some(({ respond }) => respond)
    ? 'another response replaces that of the gateway'
    : 'the request is lost'
  return [...idle, ...late.map((key): Idle => [[key], why])]
}

function toDeeds(attempt: Attempt, place: readonly PropertyKey[]): Deed[] {
  if (attempt === 'ok') return []
  const { respond, fault } = effectOf(attempt)
  return [{ place, respond, fault: fault && faultOf(fault) }]
}

function prefixPlaces(place: readonly PropertyKey[], idle: readonly Idle[]): Idle[] {
  return idle.map(([inside, why]) => [[...place, ...inside], why])
}

/** The path of a key without effect, and the reason. */
type Idle = readonly [place: readonly PropertyKey[], why: string]

/** The keys of a part that are set. */
function keysPresent<Part extends object>(part: Part, keys: readonly (keyof Part & string)[]): string[] {
  return keys.filter((key) => part[key] !== undefined)
}

/** `body` replaces the whole response, and `code` formats it as the drawing API does. */
function idleInRespond(respond: Respond): Idle[] {
  const { body, code, retryAfter } = respond
  if (body !== undefined) {
    const idle = keysPresent(respond, ['error', 'code', 'description', 'omit', 'set'])
    return idle.map((key) => [[key], 'body replaces the whole response'])
  }
  const overridden =
    code === undefined ? keysPresent(respond, ['description']) : keysPresent(respond, ['error'])
  const why =
    code === undefined
      ? 'it goes with code, which is missing'
      : 'code gives the response the format of the drawing API'
  const format = retryAfter === undefined ? keysPresent(respond, ['retryAfterFormat']) : []
  return [
    ...overridden.map((key): Idle => [[key], why]),
    ...format.map((key): Idle => [[key], 'it goes with retryAfter, which is missing']),
  ]
}

/** A timeline replaces all random draws of a task. */
function idleInTask(task: TaskShape): Idle[] {
  const { timeline, outcome } = task
  if (timeline !== undefined) {
    const idle = keysPresent(task, ['queued', 'render', 'outcome', 'failAt', 'expire'])
    return idle.map((key) => [[key], 'timeline defines the whole task'])
  }
  const idle = outcome === 'success' ? keysPresent(task, ['failAt']) : []
  return idle.map((key): Idle => [[key], 'outcome is success'])
}

/** A file is sent unchanged. */
function idleInMedia(media: MediaShape): Idle[] {
  if (media.file === undefined) return []
  return keysPresent(media, ['seconds', 'size', 'fps']).map((key) => [[key], 'the file is sent unchanged'])
}

/** A stream ends once: later chunks are never sent. */
function idleInStream({ stall, error, cut }: StreamShape): Idle[] {
  const idle: Idle[] = []
  const isCut = cut !== undefined && cutAfter(cut) <= (error?.afterChunk ?? Infinity)
  if (error && cut) {
    const [key, end] = isCut ? ['error', cutAfter(cut)] : ['cut', error.afterChunk]
    idle.push([[key], `the stream ends after chunk ${end}`])
  }
  const endsAfter = Math.min(error?.afterChunk ?? Infinity, cutAfter(cut))
  if (stall && stall.afterChunk > endsAfter)
    idle.push([['stall'], `the stream ends after chunk ${endsAfter}`])
  if (error && !isCut && (error.kind ?? 'event') !== 'event') {
    const words = keysPresent(error, ['status', 'message'])
    idle.push(
      ...words.map((key): Idle => [['error', key], `an error of kind ${error.kind} sends no message`]),
    )
  }
  return idle
}

function idleInFault(fault: Fault): Idle[] {
  const idle = findFault(fault.type).idleField?.(fault)
  return idle && Object.hasOwn(fault, idle.field) ? [[[idle.field], idle.why]] : []
}
