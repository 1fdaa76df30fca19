import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/judge/judge.ts'
import type { ClientRun } from '../../../src/judge/runs/client-run.ts'
import { injections } from '../../../src/judge/runs/injections.ts'
import { judgeBaseline, judgeRun } from '../../../src/judge/explore/judge-run.ts'
import { findPlaces } from '../../../src/judge/runs/places.ts'
import { toRuleIds, type Schedule } from '../../../src/judge/runs/schedules.ts'
import { chat, content, poll, Story, submit, type Made } from '../entries.ts'

/** A run that ends well, with these requests. */
function runOf(exchanges: readonly Made[], more: Partial<ClientRun> = {}): ClientRun {
  const story = new Story({ always: ['one-key', 'no-duplicate-submit', 'ends-tool-loop'] })
  for (const made of exchanges) story.add(made)
  const verdict = judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? 0 })
  const { entries, operations } = story
  const end = { ended: 'succeeded', reason: '', output: '', hasCrashed: false, result: '"a video"' } as const
  return { ...end, exchanges: entries, operations, verdict, ...more }
}

const whole = [
  submit({ atMs: 0 }),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ atMs: 10_000, sendsFile: true }),
]
const run = runOf(whole)
const baseline = { run, isComparable: true, hasExitCode: false }

/** A schedule with these faults at requests of the baseline run, such as `503 @ video.poll queued`. */
function scheduleOf(...faults: readonly (readonly [id: string, operation: string])[]): Schedule {
  const parts = faults.map(([id, operation]) => ({
    injection: injections.find((each) => each.id === id)!,
    place: findPlaces(run).find((place) => place.operation === operation)!,
  }))
  return { name: 'a schedule', parts }
}

/** What is wrong with a run whose first request of an operation had a fault. */
function mistakesOf(
  [id, operation]: readonly [id: string, operation: string],
  exchanges: readonly Made[],
  more: Partial<ClientRun> = {},
): readonly string[] {
  const schedule = scheduleOf([id, operation])
  const [rule] = toRuleIds(schedule.parts)
  let hasHit = false
  const injected = exchanges.map((made) => {
    if (hasHit || made.operation !== operation) return made
    hasHit = true
    return { ...made, rules: [rule!] }
  })
  const { mistakes } = judgeRun(schedule, runOf(injected, more), baseline)
  return mistakes.map(({ severity, habit, family }) => `${severity} | ${habit} | ${family}`)
}

const failed = { ended: 'failed', result: '', reason: 'gave up', output: 'gave up' } as const

it('is satisfied with the result of the baseline run', () => {
  const schedule = scheduleOf(['503', 'video.poll'])
  const [rule] = toRuleIds(schedule.parts)
  const hit = poll(null, { status: 503, rules: [rule!] })
  expect(judgeRun(schedule, runOf([submit(), hit, ...whole.slice(1)]), baseline)).toMatchObject({
    state: 'survived',
    mistakes: [],
  })
})

it('judges no run whose fault met no request', () => {
  expect(judgeRun(scheduleOf(['503', 'video.poll']), runOf(whole, failed), baseline)).toMatchObject({
    state: 'not reached',
    mistakes: [],
  })
})

describe('a client that fails', () => {
  it('gave up, if a good one would have repeated the request', () => {
    expect(mistakesOf(['503', 'video.poll'], whole, failed)).toEqual(['gave up | not-retried | server error'])
  })

  it('may fail for a refusal that nothing helps against', () => {
    expect(mistakesOf(['401', 'video.submit'], [submit({ status: 401, task: null })], failed)).toEqual([])
  })

  it('crashed, if its own code failed', () => {
    expect(mistakesOf(['503', 'video.poll'], whole, { ...failed, hasCrashed: true })).toEqual([
      'gave up | crashes | server error',
    ])
  })

  it.each(['status undefined', 'failed: [object Object]'])('must not say "%s"', (reason) => {
    expect(mistakesOf(['503', 'video.poll'], whole, { ...failed, reason })).toEqual([
      'misbehaved | unreadable-error | server error',
    ])
  })
})

describe('a client that succeeds', () => {
  it('has another result', () => {
    expect(mistakesOf(['503', 'video.poll'], whole, { result: '"another"' })).toEqual([
      'wrong result | other-result | server error',
    ])
  })

  it('may have another result, if two baseline runs differed', () => {
    const schedule = scheduleOf(['503', 'video.poll'])
    const [rule] = toRuleIds(schedule.parts)
    const of = runOf([submit(), poll(null, { status: 503, rules: [rule!] })], { result: '"another"' })
    expect(judgeRun(schedule, of, { ...baseline, isComparable: false }).mistakes).toEqual([])
  })

  it('ignores a failure', () => {
    expect(mistakesOf(['401', 'video.submit'], whole)).toEqual([
      'wrong result | ignores-failure | key revoked',
    ])
  })

  it('pays twice', () => {
    const again = chat({ atMs: 10_000 })
    expect(mistakesOf(['503', 'video.poll'], [...whole, again])).toEqual([
      'paid twice | resubmits | server error',
    ])
  })

  it('breaks an invariant that it did not break in the baseline run', () => {
    const other = content({ atMs: 10_000, sendsFile: true, key: 'sk-other' })
    expect(mistakesOf(['503', 'video.poll'], [...whole, other])).toEqual([
      'misbehaved | one-key | server error',
    ])
    const careless = { ...baseline, run: runOf([...whole, other]) }
    const schedule = scheduleOf(['503', 'video.poll'])
    const [submission, queued, ...rest] = whole
    const hit = [submission!, { ...queued!, rules: toRuleIds(schedule.parts) }, ...rest, other]
    expect(judgeRun(schedule, runOf(hit), careless).mistakes).toEqual([])
  })
})

describe('a client that does not end', () => {
  const hung = { ended: 'hung', result: '', reason: 'it waits for a response' } as const
  const many = (made: Made): Made[] => [
    submit({ atMs: 0 }),
    ...Array.from({ length: 30 }, (_, index) => ({ ...made, atMs: 20_000 * (index + 1) })),
  ]

  it('has no deadline, if it waits', () => {
    expect(mistakesOf(['hang', 'video.poll'], whole.slice(0, 2), hung)).toEqual([
      expect.stringMatching(/^hung \| no-deadline \| /),
    ])
  })

  it('polls forever, if its polls are answered, and retries forever, if they are not', () => {
    expect(mistakesOf(['503', 'video.poll'], many(poll('queued')), hung)[0]).toBe(
      'hung | polls-forever | server error',
    )
    expect(mistakesOf(['503', 'video.poll'], many(poll(null, { status: 503 })), hung)[0]).toBe(
      'hung | retries-forever | server error',
    )
  })

  it('answers tool calls without end, which is the only mistake of it', () => {
    const rounds = Array.from({ length: 60 }, (_, index) =>
      chat({ prompt: 'Why?', identity: `round ${index}`, toolCalls: ['weather'] }),
    )
    const found = mistakesOf(['503', 'video.poll'], [...whole, ...rounds], hung)
    expect(found).toContain('hung | ends-tool-loop | server error')
    expect(found.join()).not.toMatch(/forever|no-deadline/)
  })
})

it('names a fault of a download in the place of the last of a pair', () => {
  const schedule = scheduleOf(['corrupt', 'video.content'], ['503', 'video.poll'])
  const [first, second] = toRuleIds(schedule.parts)
  const [submission, queued, done, download] = whole
  const hit = [submission!, { ...queued!, rules: [second!] }, done!, { ...download!, rules: [first!] }]
  const of = runOf(hit, { result: '"another"' })
  expect(judgeRun(schedule, of, baseline).mistakes).toMatchObject([
    { habit: 'other-result', operation: 'video.content' },
  ])
})

it('judges the baseline run by its end and its invariants', () => {
  const namesOf = (of: ClientRun): string[] =>
    judgeBaseline({ ...baseline, run: of }).map(({ severity, habit }) => `${severity} | ${habit}`)
  expect(namesOf(run)).toEqual([])
  expect(namesOf(runOf(whole, failed))).toEqual(['gave up | fails-by-itself'])
  expect(namesOf(runOf(whole, { ended: 'hung' }))).toEqual(['hung | fails-by-itself'])
  expect(namesOf(runOf(whole, { result: 'schÃ¶n' }))).toEqual(['wrong result | misreads-text'])
  expect(namesOf(runOf([...whole, content({ key: 'sk-other', sendsFile: true })]))).toEqual([
    'misbehaved | one-key',
  ])
})
