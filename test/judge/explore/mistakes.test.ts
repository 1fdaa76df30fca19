import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/judge/judge.ts'
import type { ClientRun } from '../../../src/judge/runs/client-run.ts'
import { crashInjections, injections } from '../../../src/judge/runs/injections.ts'
import { judgeBaseline, judgeRun } from '../../../src/judge/explore/judge-run.ts'
import { findPlaces } from '../../../src/judge/runs/places.ts'
import type { Baseline } from '../../../src/judge/runs/run-context.ts'
import { toRuleIds, type Schedule } from '../../../src/judge/runs/schedules.ts'
import type { JudgedTask, Result } from '../../../src/judge/verdict.ts'
import { needs } from '../../support/needs.ts'
import { chat, content, placeOf, poll, start, Story, submit, type Made } from '../entries.ts'

interface More extends Partial<Omit<ClientRun, 'verdict'>> {
  readonly tasks?: readonly JudgedTask[]
  readonly results?: readonly Result[]
}

/** A run that ends well, with these requests. */
function runOf(exchanges: readonly Made[], { tasks, results, ...more }: More = {}): ClientRun {
  const story = new Story({ always: ['one-key', 'no-duplicate-submit'] })
  for (const made of exchanges) story.add(made)
  const verdict = judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? 0 })
  const { entries, operations } = story
  const end = {
    ended: 'succeeded',
    reason: '',
    output: '',
    hasCrashed: false,
    result: '"a video of 12 s"',
  } as const
  const judged = { ...verdict, results: results ?? verdict.results, tasks: tasks ?? [taskOf('task_1')] }
  return { ...end, exchanges: entries, operations, verdict: judged, ...more }
}

const taskOf = (id: string, status = 'SUCCESS'): JudgedTask => ({ id, status, kind: 'video' }) as JudgedTask
const two = [taskOf('task_1'), taskOf('task_2')]
const damaged = (requests: number[]): Result =>
  ({ path: 'artifacts[0]', verdict: 'fail', actual: 'task_1 is not intact', requests }) as unknown as Result

const whole: readonly Made[] = [
  submit({ atMs: 0 }),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ atMs: 10_000, sendsFile: true }),
  chat({ atMs: 10_000, prompt: 'Why?' }),
  { operation: 'models.list', atMs: 10_000 },
]
const run = runOf(whole)
const baseline: Baseline = { run, isComparable: true, hasExitCode: false }
const places = findPlaces(run)

function scheduleOf(...faults: readonly (readonly [id: string, operation: string])[]): Schedule {
  const parts = faults.map(([id, operation]) => ({
    injection: [...injections, ...crashInjections].find((each) => each.id === id)!,
    place: placeOf(places, (place) => place.operation === operation),
  }))
  return { name: 'a schedule', parts }
}

/** The state of a run, and its mistakes in words. The first requests of the operations got the faults. */
function judgedOf(
  schedule: Schedule,
  exchanges: readonly Made[],
  more: More = {},
  base: Partial<Baseline> = {},
): string[] {
  const ids = toRuleIds(schedule.parts)
  const open = schedule.parts.map(({ place }, index) => ({ operation: place.operation, id: ids[index]! }))
  const hit = exchanges.map((made) => {
    const at = open.findIndex(({ operation }) => operation === made.operation)
    return at < 0 ? made : { ...made, rules: [open.splice(at, 1)[0]!.id] }
  })
  const { state, mistakes } = judgeRun(schedule, runOf(hit, more), { ...baseline, ...base })
  return [
    state,
    ...mistakes.map(
      ({ severity, habit, operation, family, detail }) =>
        `${severity}, ${habit}, ${operation}, ${family}: ${detail}`,
    ),
  ]
}

const failed = { ended: 'failed', result: '', reason: 'gave up', output: 'gave up' } as const
const hung = { ended: 'hung', result: '', reason: 'it waits for a response' } as const
const poll503 = scheduleOf(['503', 'video.poll'])
const variant = { id: 'a variant', operation: 'video.poll', advice: '' }
const varied: Schedule = { name: variant.id, parts: [], variant }
const broken = { outcome: 'failed', content: 'partial', fault: 'reset' } as const

describe('the verdict on a run', () => {
  it.each<[string, Schedule, readonly Made[], More, Partial<Baseline>, string[]]>([
    ['survived', poll503, whole, {}, {}, ['survived']],
    [
      'never met its fault',
      scheduleOf(['503', 'video.poll'], ['503', 'video.submit']),
      whole.slice(1),
      {},
      {},
      ['not reached'],
    ],
    ['may fail', scheduleOf(['tool loop', 'chat.complete']), whole, failed, {}, ['reported']],
    ['reports a failure', scheduleOf(['401', 'video.poll']), whole, failed, {}, ['reported']],
    [
      'reports a failure of a pair',
      scheduleOf(['503', 'video.submit'], ['401', 'video.poll']),
      whole,
      failed,
      {},
      ['reported'],
    ],
    [
      'submits again what may be lost',
      scheduleOf(['reset', 'video.submit']),
      whole,
      { tasks: two },
      {},
      ['resubmitted'],
    ],
    [
      'can not be judged in real time',
      scheduleOf(['slow 40s', 'video.poll']),
      whole,
      { hasRealTimeouts: true },
      {},
      ['not judged'],
    ],
    [
      'can not be judged if time waited for a C library',
      poll503,
      whole.slice(0, 2),
      { ...hung, isOutside: true },
      {},
      ['not judged'],
    ],
    [
      'gave up',
      poll503,
      whole,
      failed,
      {},
      ['gave up', 'gave up, not-retried, video.poll, server error: gave up'],
    ],
    [
      'fails with a variant',
      varied,
      whole,
      failed,
      {},
      ['gave up', 'gave up, fails-on-variant, any, a variant: gave up'],
    ],
    [
      'crashes',
      poll503,
      whole,
      { ...failed, hasCrashed: true },
      {},
      ['gave up', 'gave up, crashes, video.poll, server error: gave up'],
    ],
    [
      'has no words for its error',
      poll503,
      whole,
      { ...failed, reason: 'status undefined' },
      {},
      ['misbehaved', 'misbehaved, unreadable-error, video.poll, server error: status undefined'],
    ],
    [
      'waits',
      scheduleOf(['hang', 'video.poll']),
      whole.slice(0, 2),
      hung,
      {},
      ['hung', 'hung, no-deadline, video.poll, silence: it waits for a response'],
    ],
    [
      'ignores a failure',
      scheduleOf(['401', 'video.poll']),
      whole,
      {},
      {},
      [
        'wrong result',
        'wrong result, ignores-failure, video.poll, key revoked: the same result as in the baseline run',
      ],
    ],
    [
      'ignores a failure, with another number',
      scheduleOf(['401', 'video.poll']),
      whole,
      { result: '"a video of 9 s"' },
      {},
      [
        'wrong result',
        'wrong result, ignores-failure, video.poll, key revoked: it succeeds with "\\"a video of 9 s\\""',
      ],
    ],
    [
      'returns a failure',
      scheduleOf(['401', 'video.poll']),
      whole,
      { result: '{"error":"no key"}' },
      {},
      ['reported'],
    ],
    [
      'exits with 0',
      scheduleOf(['401', 'video.poll']),
      whole,
      { result: 'no key' },
      { hasExitCode: true },
      ['wrong result', 'wrong result, ignores-failure, video.poll, key revoked: it succeeds with "no key"'],
    ],
    [
      'makes another task of a failure',
      scheduleOf(['fails', 'video.submit']),
      [submit({ atMs: 0 }), poll('FAILURE', { atMs: 10_000 }), chat({ atMs: 10_000, prompt: 'Why?' })],
      { tasks: two },
      {},
      ['paid twice', 'paid twice, resubmits, video.submit, task fails: 2 tasks instead of 1'],
    ],
    [
      'takes a part for the whole',
      scheduleOf(['max tokens', 'chat.complete']),
      whole,
      {},
      {},
      [
        'wrong result',
        'wrong result, ignores-early-end, chat.complete, ended early: the same result as in the baseline run',
      ],
    ],
    [
      'returns something else for a text that ended early',
      scheduleOf(['max tokens', 'chat.complete']),
      whole,
      { result: 'a part' },
      { hasExitCode: true },
      ['reported'],
    ],
    [
      'requests the whole',
      scheduleOf(['max tokens', 'chat.complete']),
      [...whole, chat({ prompt: 'Why?', identity: 'longer' })],
      {},
      {},
      ['survived'],
    ],
    [
      'requests another text',
      scheduleOf(['max tokens', 'chat.complete']),
      [...whole, chat({ prompt: 'How?', identity: 'other' })],
      {},
      {},
      [
        'wrong result',
        'wrong result, ignores-early-end, chat.complete, ended early: the same result as in the baseline run',
      ],
    ],
    [
      'requests the whole in vain',
      scheduleOf(['max tokens', 'chat.complete']),
      [...whole, chat({ prompt: 'Why?', status: 503 })],
      {},
      {},
      [
        'wrong result',
        'wrong result, ignores-early-end, chat.complete, ended early: the same result as in the baseline run',
      ],
    ],
    [
      'receives a part of the whole',
      scheduleOf(['max tokens', 'chat.complete']),
      [...whole, chat({ prompt: 'Why?', ...broken })],
      {},
      {},
      [
        'wrong result',
        'wrong result, ignores-early-end, chat.complete, ended early: the same result as in the baseline run',
      ],
    ],
    [
      'keeps damaged bytes',
      poll503,
      whole,
      { results: [damaged([4])] },
      {},
      ['wrong result', 'wrong result, keeps-damaged-bytes, video.poll, server error: task_1 is not intact'],
    ],
    [
      'downloads nothing',
      poll503,
      whole,
      { results: [damaged([])] },
      {},
      ['wrong result', 'wrong result, skips-download, video.poll, server error: task_1 is not intact'],
    ],
    [
      'always downloads nothing',
      poll503,
      whole,
      { results: [damaged([])] },
      { run: runOf(whole, { results: [damaged([])] }) },
      ['survived'],
    ],
    [
      'has another result',
      poll503,
      whole,
      { result: `"${'another '.repeat(20)}"` },
      {},
      [
        'wrong result',
        'wrong result, other-result, video.poll, server error: "\\"another another another another another another another another another another another another ano" instead of "\\"a video of 12 s\\""',
      ],
    ],
    [
      'has another result of a download',
      scheduleOf(['corrupt', 'video.content']),
      whole,
      { result: '"another"' },
      {},
      [
        'wrong result',
        'wrong result, other-result, video.content, corrupt bytes: "\\"another\\"" instead of "\\"a video of 12 s\\""',
      ],
    ],
    [
      'has another result, as ever',
      poll503,
      whole,
      { result: '"another"' },
      { isComparable: false },
      ['survived'],
    ],
    [
      'has a result of its own',
      scheduleOf(['tool loop', 'chat.complete']),
      whole,
      { result: '"another"' },
      {},
      ['survived'],
    ],
    [
      'pays twice',
      poll503,
      [...whole, chat()],
      { tasks: two },
      {},
      [
        'paid twice',
        'paid twice, resubmits, video.poll, server error: 2 tasks instead of 1, 2 texts instead of 1',
      ],
    ],
    [
      'pays twice after a time-out',
      scheduleOf(['hang', 'video.poll']),
      whole,
      { tasks: two },
      {},
      ['paid twice', 'paid twice, resubmits-after-time-out, video.poll, silence: 2 tasks instead of 1'],
    ],
    [
      'leaves a slow text',
      scheduleOf(['slow 40s', 'chat.complete']),
      [...whole.slice(0, 4), chat({ outcome: 'aborted', content: 'partial' }), chat()],
      {},
      {},
      [
        'paid twice',
        'paid twice, leaves-slow-answers, chat.complete, slowness: #6 repeats #5, which the client did not wait for',
      ],
    ],
    [
      'leaves a slow poll',
      scheduleOf(['slow 40s', 'video.poll']),
      [submit(), poll(null, { outcome: 'aborted' }), poll('SUCCESS'), ...whole.slice(3)],
      {},
      {},
      ['survived'],
    ],
    [
      'repeats a refusal',
      scheduleOf(['403 quota', 'video.submit']),
      [1, 2, 3].map(() => submit({ status: 403, task: null, rules: ['fault-403-quota'] })),
      failed,
      {},
      [
        'misbehaved',
        'misbehaved, repeats-final-refusals, any, refused for good: 3 requests, each refused with 403',
      ],
    ],
    [
      'repeats a refusal once',
      scheduleOf(['403 quota', 'video.submit']),
      [1, 2].map(() => submit({ status: 403, task: null })),
      failed,
      {},
      ['reported'],
    ],
    [
      'downloads a failed task',
      scheduleOf(['fails', 'video.submit']),
      [submit(), poll('FAILURE'), content({ status: 400 })],
      { ...failed, tasks: [taskOf('task_1', 'FAILURE')] },
      {},
      [
        'misbehaved',
        'misbehaved, hides-the-reason, video.submit, task fails: gave up',
        'misbehaved, downloads-of-failed-task, any, task fails: #3 requests the content of a task that failed',
      ],
    ],
    [
      'changes its key',
      poll503,
      [...whole, poll('SUCCESS', { key: 'sk-other' })],
      {},
      {},
      [
        'misbehaved',
        'misbehaved, no-poll-after-terminal, any, server error: Task task_1 was polled again after #3 reported its end.',
        'misbehaved, one-key, any, server error: Task task_1 was submitted with sk-test, but video.poll used sk-other.',
      ],
    ],
    [
      'does not say why',
      scheduleOf(['fails', 'video.submit']),
      [submit(), poll('FAILURE')],
      failed,
      {},
      ['misbehaved', 'misbehaved, hides-the-reason, video.submit, task fails: gave up'],
    ],
    [
      'says why',
      scheduleOf(['fails', 'video.submit']),
      [submit(), poll('FAILURE')],
      { ...failed, output: 'content policy' },
      {},
      ['reported'],
    ],
    [
      'never heard why',
      scheduleOf(['fails', 'video.submit']),
      [submit(), poll('FAILURE', { hidesReason: true })],
      failed,
      {},
      ['reported'],
    ],
  ])('of a client that %s', (_what, schedule, exchanges, more, base, lines) => {
    expect(judgedOf(schedule, exchanges, more, base)).toEqual(lines)
  })

  it('of a client that may fail at a read', () => {
    needs('models.list')
    expect(judgedOf(scheduleOf(['401', 'models.list']), whole)).toEqual(['survived'])
  })

  const crash = { op: 'video.submit', nth: 1, at: 0, before: 2 }
  const crashed = { crashes: [crash] } as unknown as More
  // The lost request is not among the exchanges.
  const crashedBefore = { crashes: [{ ...crash, before: 1 }] } as unknown as More
  const either = (schedule: Schedule): Schedule => ({
    ...schedule,
    parts: schedule.parts.map(({ injection, place }) => ({
      injection: { ...injection, expected: 'either' as const },
      place,
    })),
  })

  it.each<[string, Schedule, More, Partial<Baseline>, string[]]>([
    ['did not crash', scheduleOf(['crash', 'video.submit']), {}, {}, ['not reached']],
    [
      'goes on',
      scheduleOf(['crash', 'video.submit']),
      { ...crashed, result: '"the rest"' },
      {},
      ['survived'],
    ],
    [
      'does not go on',
      scheduleOf(['crash', 'video.submit']),
      { ...crashed, ...failed },
      {},
      ['gave up', 'gave up, does-not-recover, video.submit, crash: gave up'],
    ],
    [
      'submits again',
      scheduleOf(['crash', 'video.submit']),
      { ...crashedBefore, tasks: two },
      {},
      ['paid twice', 'paid twice, resubmits-after-crash, video.submit, crash: 2 tasks instead of 1'],
    ],
    [
      'can not know',
      either(scheduleOf(['crash after', 'video.submit'])),
      { ...crashed, tasks: two },
      {},
      ['resubmitted'],
    ],
    [
      'succeeds without what it could not know',
      either(scheduleOf(['crash after', 'video.submit'])),
      { ...crashed, results: [damaged([])] },
      {},
      ['wrong result', 'wrong result, ignores-failure, video.submit, crash: task_1 is not intact'],
    ],
    [
      'submits more than once',
      either(scheduleOf(['crash after', 'video.submit'])),
      { ...crashed, tasks: [...two, taskOf('task_3')] },
      {},
      ['paid twice', 'paid twice, resubmits-after-crash, video.submit, crash: 3 tasks instead of 1'],
    ],
    [
      'could list its tasks',
      either(scheduleOf(['crash after', 'video.submit'])),
      { ...crashed, tasks: two },
      { scenario: { version: 1, config: { video: { listAndDelete: true } } } },
      ['paid twice', 'paid twice, resubmits-unlisted, video.submit, crash: 2 tasks instead of 1'],
    ],
  ])('of a client that crashed, and %s', (_what, schedule, more, base, lines) => {
    expect(judgedOf(schedule, whole, more, base)).toEqual(lines)
  })

  const three = [...two, taskOf('task_3')]
  const unanswered = submit({ atMs: 0, outcome: 'aborted' })
  const restarted = whole.map((made) => ({ ...made, atMs: (made.atMs ?? 0) + 10_000 }))

  it.each<[string, readonly Made[], More, string[]]>([
    ['never got', [unanswered, unanswered, ...restarted], {}, ['resubmitted']],
    ['got one of', [unanswered, submit({ atMs: 0 }), ...restarted], {}, ['paid twice']],
    ['may have read', [unanswered, submit({ atMs: 0 }), ...restarted], { isRealTime: true }, ['resubmitted']],
  ])('of several jobs at once, whose answers a client %s before it crashed', (_what, sent, more, states) => {
    const crashes = [{ op: 'video.poll', nth: 1, at: start + 10, before: 3 }]
    const schedule = scheduleOf(['crash', 'video.poll'])
    expect(judgedOf(schedule, sent, { crashes, tasks: three, ...more }).slice(0, 1)).toEqual(states)
  })

  const many = (made: Made, count: number): Made[] => [
    submit({ atMs: 0 }),
    ...Array.from({ length: count }, (_, index) => ({ ...made, atMs: 20_000 * (index + 1) })),
  ]

  it.each<[string, readonly Made[], More, string[]]>([
    [
      'polls forever',
      many(poll('queued'), 40),
      { ...hung, ended: 'endless' },
      ['hung', 'hung, polls-forever, video.poll, server error: 41 requests, 6 in the baseline run'],
    ],
    [
      'retries forever',
      many(poll(null, { status: 503 }), 40),
      { ...hung, ended: 'endless' },
      ['hung', 'hung, retries-forever, video.poll, server error: 41 requests, 6 in the baseline run'],
    ],
    [
      'polls without end until it hangs',
      many(poll('queued'), 22),
      hung,
      ['hung', 'hung, polls-forever, video.poll, server error: 23 requests, 6 in the baseline run'],
    ],
    [
      'hangs after few polls',
      many(poll('queued'), 21),
      hung,
      ['hung', 'hung, no-deadline, video.poll, server error: it waits for a response'],
    ],
    [
      'hangs without a response',
      [...many(poll('queued'), 30), poll(null, { atMs: 620_000, status: 0, outcome: 'failed' })],
      hung,
      ['hung', 'hung, no-deadline, video.poll, server error: it waits for a response'],
    ],
    [
      'repeats texts forever',
      [...many(poll('queued'), 10), ...many(chat(), 40)],
      { ...hung, ended: 'endless' },
      [
        'paid twice',
        'paid twice, resubmits, video.poll, server error: 40 texts instead of 1',
        'hung, retries-forever, video.poll, server error: 52 requests, 6 in the baseline run',
      ],
    ],
  ])('of a client that %s', (_what, exchanges, more, lines) => {
    expect(judgedOf(poll503, exchanges, more)).toEqual(lines)
  })
})

it('judges the baseline run by its end, its text and its invariants', () => {
  const of = (each: ClientRun) => judgeBaseline({ ...baseline, run: each })
  expect(of(run)).toEqual([])
  const results = [
    runOf(whole, failed),
    runOf(whole, hung),
    runOf(whole, { result: `${'x'.repeat(95)}schÃ¶n` }),
    runOf([...whole, poll('SUCCESS', { key: 'sk-other' })]),
  ]
  expect(results.flatMap(of)).toMatchObject([
    {
      operation: 'any',
      family: 'baseline',
      severity: 'gave up',
      habit: 'fails-by-itself',
      detail: 'gave up',
    },
    {
      operation: 'any',
      family: 'baseline',
      severity: 'hung',
      habit: 'fails-by-itself',
      detail: 'it waits for a response',
    },
    {
      operation: 'any',
      family: 'baseline',
      severity: 'wrong result',
      habit: 'misreads-text',
      detail:
        '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxschÃ¶"',
    },
    {
      operation: 'any',
      family: 'baseline',
      severity: 'misbehaved',
      habit: 'no-poll-after-terminal',
      detail: 'Task task_1 was polled again after #3 reported its end.',
    },
    {
      operation: 'any',
      family: 'baseline',
      severity: 'misbehaved',
      habit: 'one-key',
      detail: 'Task task_1 was submitted with sk-test, but video.poll used sk-other.',
    },
  ])
})
