import { duration, durationSpec } from '../engine/duration-form.ts'
import {
  aboveZero,
  anything,
  either,
  flag,
  listOf,
  mapping,
  mappingOf,
  number,
  scalarOrNull,
  text,
  word,
  type Form,
} from '../engine/form.ts'
import type { TaskShape, TimelineStep } from '../engine/task-shape.ts'
import type { Fault } from './fault.ts'
import type { Limit } from './limit.ts'
import type {
  Attempt,
  MediaShape,
  Respond,
  Rule,
  RuleMatch,
  RuleWindow,
  StreamShape,
  ValueMatch,
} from './rule.ts'

const textOrNumber = either(text, number)

const wish: Form = {
  kinds: scalarOrNull.kinds.concat('mapping'),
  inside: (value, place) => (typeof value === 'object' && value !== null ? wishes.inside!(value, place) : []),
}

const wishes = mapping<Exclude<ValueMatch, string | number | boolean | null>>(
  {
    equals: scalarOrNull,
    glob: text,
    contains: text,
    regex: text,
    flags: text,
    in: listOf(scalarOrNull),
    exists: flag,
    not: wish,
  },
  [['equals', 'glob', 'contains', 'regex', 'in', 'exists', 'not']],
)

const match = mapping<RuleMatch>(
  {
    op: either(text, listOf(text)),
    model: text,
    prompt: text,
    body: mappingOf(wish),
    headers: mappingOf(wish),
    query: mappingOf(wish),
    key: wish,
    namespace: wish,
    state: wish,
  },
  ['op'],
)

const respond = mapping<Respond>({
  status: number,
  headers: mappingOf(text),
  body: anything,
  error: mapping<NonNullable<Respond['error']>>({ message: text, code: text, type: text }),
  retryAfter: duration,
  retryAfterFormat: word('seconds', 'date'),
  code: number,
  description: text,
})

/** What each fault wants is told where faults are checked. */
const fault = either(
  text,
  mapping<Fault>(
    {
      type: text,
      phase: word('before-headers', 'mid-body'),
      at: textOrNumber,
      lost: word('request', 'answer'),
      for: durationSpec,
      bytesPerSecond: aboveZero,
      bytes: aboveZero,
      mediaType: text,
      by: durationSpec,
    },
    ['type'],
  ),
)

const attempt = either(
  text,
  number,
  mapping<Exclude<Attempt, string | number>>({ respond, fault, delay: durationSpec }),
)

const stream = mapping<StreamShape>({
  text,
  chunk: word('token', 'word', 'character'),
  firstToken: durationSpec,
  gap: durationSpec,
  tokensPerSecond: aboveZero,
  stall: mapping<NonNullable<StreamShape['stall']>>({ afterChunk: number, for: durationSpec }, [
    'afterChunk',
    'for',
  ]),
  error: mapping<NonNullable<StreamShape['error']>>(
    { afterChunk: number, kind: word('event', 'close', 'reset'), status: number, message: text },
    ['afterChunk'],
  ),
  cut: mapping<NonNullable<StreamShape['cut']>>({ afterChunk: number }, ['afterChunk']),
  finishReason: text,
})

const task = mapping<TaskShape>({
  queued: durationSpec,
  render: durationSpec,
  outcome: word('success', 'failure'),
  failAt: textOrNumber,
  reason: text,
  expire: mapping<NonNullable<TaskShape['expire']>>({ after: durationSpec, reason: text }, ['after']),
  timeline: listOf(
    mapping<TimelineStep>(
      {
        after: durationSpec,
        status: text,
        progress: textOrNumber,
        waitFor: text,
        timeout: durationSpec,
        reason: text,
      },
      [['after', 'waitFor']],
    ),
  ),
  unsafe: flag,
})

/** What a rule in plain JavaScript may say. */
export const ruleForm = mapping<Rule>(
  {
    id: text,
    optional: flag,
    match,
    on: either(number, listOf(number)),
    every: aboveZero,
    times: aboveZero,
    chance: textOrNumber,
    per: word('namespace', 'key', 'task'),
    when: mapping<RuleWindow>({ clock: text, vars: mappingOf(scalarOrNull) }),
    continue: flag,
    set: mappingOf(scalarOrNull),
    attempts: listOf(attempt),
    respond,
    task,
    delay: durationSpec,
    stream,
    media: mapping<MediaShape>({ file: text, seconds: number, size: text, fps: number }),
    fault,
  },
  ['match'],
)

/** What a limit in plain JavaScript may say. */
export const limitForm = mapping<Limit>(
  {
    id: text,
    optional: flag,
    match,
    per: word('key', 'namespace'),
    bucket: mapping<NonNullable<Limit['bucket']>>({ capacity: aboveZero, refill: text }, [
      'capacity',
      'refill',
    ]),
    concurrent: aboveZero,
    workers: aboveZero,
    outage: text,
    respond,
  },
  ['match', ['bucket', 'concurrent', 'workers', 'outage']],
)
