import { expect, it } from 'vitest'
import type { ClientRun, RunOptions } from '../../../src/judge/runs/client-run.ts'
import { repeatAlone, repeatMistakes } from '../../../src/judge/explore/confirm.ts'
import type { ObservedMistake, RepeatedMistake } from '../../../src/judge/explore/mistakes.ts'
import { injections } from '../../../src/judge/runs/injections.ts'
import { findPlaces } from '../../../src/judge/runs/places.ts'
import { ProgressMeter } from '../../../src/judge/explore/progress.ts'
import { RunGroup } from '../../../src/judge/explore/run-group.ts'
import { nameSchedule, type Base, type Schedule } from '../../../src/judge/runs/schedules.ts'
import { judge } from '../../../src/judge/judge.ts'
import type { Scenario } from '../../../src/index.ts'
import { content, placeOf, poll, Story, submit, type Made } from '../entries.ts'

const whole = [
  submit(),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ sendsFile: true }),
]

function runOf(exchanges: readonly Made[], more: Partial<ClientRun> = {}): ClientRun {
  const story = new Story()
  for (const made of exchanges) story.add(made)
  const { entries, operations, watch } = story
  const verdict = judge({ watch, tasks: [], now: watch.lastAt ?? 0 })
  const end = { ended: 'succeeded', reason: '', output: '', hasCrashed: false, result: 'It rains' } as const
  return { ...end, exchanges: entries, operations, verdict, ...more }
}

const base: Base = {
  scenario: { version: 1 },
  hasComparableTexts: false,
  expect: { artifacts: [{ kind: 'video', downloaded: 'intact' }], allow: { notExercised: true } },
  maxVirtualMs: 7_000,
}
const failed = { ended: 'failed', result: '', reason: 'gave up', output: 'gave up' } as const

function scheduleOf(id: string, operation: string): Schedule {
  const place = placeOf(findPlaces(runOf(whole)), (each) => each.operation === operation)
  const parts = [{ injection: injections.find((each) => each.id === id)!, place }]
  return { name: nameSchedule(parts), parts }
}

const mistakeOf = (
  habit: string,
  schedule: Schedule,
  severity: ObservedMistake['severity'] = 'gave up',
): ObservedMistake => ({
  severity,
  habit,
  operation: 'video.poll',
  family: 'server error',
  detail: '',
  schedule,
  trace: '',
})

/** Repeats mistakes by a client that ends in this way, and returns what it was given. */
async function repeat(mistakes: readonly ObservedMistake[], run: ClientRun, interrupt?: AbortSignal) {
  const played: { scenario: Scenario; options: RunOptions }[] = []
  const group = new RunGroup(async (scenario, options) => {
    played.push({ scenario, options })
    return run
  }, interrupt)
  const baseline = { run: runOf(whole), isComparable: true, hasExitCode: false }
  const meter = new ProgressMeter(undefined, Infinity)
  const repeated = await repeatMistakes(group, mistakes, { baseline, base, jobs: 1, meter })
  return { played, repeated }
}

const poll503 = scheduleOf('503', 'video.poll')
const hit = [submit(), poll(null, { status: 503, rules: ['fault-503'] }), ...whole.slice(1)]

it('takes a mistake that occurs again for certain, and refutes another one of its run', async () => {
  const mistakes = [mistakeOf('not-retried', poll503), mistakeOf('crashes', poll503)]
  const run = runOf(hit, failed)
  const { repeated } = await repeat(mistakes, run)
  expect(repeated).toEqual([
    { ...mistakes[0], repetition: run, isFlaky: false, isRefuted: false },
    // The run fails by the first one.
    { ...mistakes[1], repetition: run, isFlaky: false, isRefuted: true },
  ])
})

it('refutes a mistake that only occurs while another run uses the same folder', async () => {
  let running = 0
  const group = new RunGroup(async () => {
    running++
    await new Promise((resolve) => setImmediate(resolve))
    const isAlone = running === 1
    running--
    return isAlone ? runOf(hit) : runOf(hit, failed)
  })
  const options = {
    baseline: { run: runOf(whole), isComparable: true, hasExitCode: false },
    base,
    jobs: 2,
    meter: new ProgressMeter(undefined, Infinity),
  }
  const mistakes = ['video.poll', 'video.content'].map((at) =>
    mistakeOf('not-retried', scheduleOf('503', at)),
  )
  const repeated = await repeatMistakes(group, mistakes, options)
  expect(repeated.map(({ isRefuted }) => isRefuted)).toEqual([false, true])
  const alone = await repeatAlone(group, repeated, options)
  expect(alone.map(({ isRefuted }) => isRefuted)).toEqual([true, true])
})

it('repeats a mistake of the baseline run without an injection', async () => {
  const mistake = mistakeOf('fails-by-itself', { name: 'baseline', parts: [] })
  const { repeated, played } = await repeat([mistake], runOf(whole, failed))
  expect(repeated.map(({ isFlaky }) => isFlaky)).toEqual([false])
  expect(played[0]!.scenario).toMatchObject({ name: 'baseline', rules: [], expect: base.expect })
  expect((await repeat([mistake], runOf(whole))).repeated.map(({ isFlaky }) => isFlaky)).toEqual([true])
})

it('plays the scenario of the finding, on a clock near that of the host', async () => {
  const { played } = await repeat([mistakeOf('not-retried', poll503)], runOf(hit))
  const [{ scenario, options }] = played as [(typeof played)[number]]
  expect(scenario).toMatchObject({
    name: '503 @ video.poll queued',
    rules: [{ id: 'fault-503' }],
    expect: { command: 'passes', allow: { notExercised: true } },
    clock: { mode: 'auto', start: expect.any(String) as unknown },
  })
  expect(options).toMatchObject({ maxVirtualMs: 7_000, isRepetition: true, hasHung: false })
})

it('says that the client hung, so that less patience suffices', async () => {
  const { played } = await repeat(
    [mistakeOf('no-deadline', scheduleOf('hang', 'video.poll'), 'hung')],
    runOf(whole),
  )
  expect(played[0]!.options.hasHung).toBe(true)
})

it.each([
  ['skips-download', true],
  ['keeps-damaged-bytes', true],
  ['ignores-failure', false],
])('expects a file to see %s again: %s', async (habit, expectsFile) => {
  const mistake = mistakeOf(habit, scheduleOf('404 result', 'video.content'), 'wrong result')
  const { played } = await repeat([mistake], runOf(whole))
  expect(played[0]!.scenario.expect).toEqual({
    ...(expectsFile && { artifacts: base.expect.artifacts }),
    command: 'fails',
    allow: { notExercised: true },
  })
})

it('repeats nothing after an interrupt', async () => {
  const { repeated, played } = await repeat(
    [mistakeOf('not-retried', poll503)],
    runOf(hit),
    AbortSignal.abort(),
  )
  expect(played).toEqual([])
  expect(repeated.map(({ repetition, isFlaky }) => [repetition, isFlaky])).toEqual([[undefined, false]])
})

it('refutes a mistake whose scenario the client passes on virtual time', async () => {
  const mistake = mistakeOf('other-result', poll503, 'wrong result')
  const other = runOf(hit, { result: 'It snows' })
  const passed = { path: 'command.stdout', verdict: 'pass', fails: false }
  const judged = (...results: readonly object[]): ClientRun =>
    ({ ...other, verdict: { ...other.verdict, results } }) as ClientRun
  const proofOf = async (run: ClientRun): Promise<unknown[]> => {
    const [{ isRefuted, isFlaky }] = (await repeat([mistake], run)).repeated as [RepeatedMistake]
    return [isRefuted, isFlaky]
  }
  expect(await proofOf(judged(passed))).toEqual([true, false])
  expect(await proofOf(judged({ ...passed, verdict: 'fail', fails: true }))).toEqual([false, false])
  // A function prints nothing: that its result is another one was judged already.
  expect(await proofOf(judged({ ...passed, verdict: 'not-applicable' }))).toEqual([false, false])
  // In real time, the next run may be another one.
  expect(await proofOf({ ...judged(passed), isRealTime: true })).toEqual([false, true])
})

it('takes a client that exits with an error for one that fails its scenario', async () => {
  const mistake = mistakeOf('crashes', poll503)
  const run = runOf(hit, { ...failed, hasCrashed: true })
  expect(run.verdict.results).toEqual([])
  expect((await repeat([mistake], run)).repeated).toMatchObject([{ isRefuted: false, isFlaky: false }])
})

it('proves a broken invariant also in a run that never ends', async () => {
  const mistake = mistakeOf('one-key', poll503, 'misbehaved')
  const broken = { name: 'one-key', violations: 1, first: { requests: [2], message: 'two keys' } }
  const { verdict, ...run } = runOf(hit, { ended: 'endless' })
  const results = [{ path: 'always[0]', verdict: 'fail', fails: true }]
  const endless = { ...run, verdict: { ...verdict, results, invariants: [broken] } } as unknown as ClientRun
  expect((await repeat([mistake], endless)).repeated).toMatchObject([{ isFlaky: false, isRefuted: false }])
})

it('proves a broken invariant only by that invariant', async () => {
  const mistake = mistakeOf('one-key', poll503, 'misbehaved')
  const broken = { name: 'one-key', violations: 1, first: { requests: [2], message: 'two keys' } }
  const proofOf = async (path: string): Promise<boolean> => {
    const { verdict, ...run } = runOf(hit)
    const results = [{ path, verdict: 'fail', fails: true }]
    const judged = { ...run, verdict: { ...verdict, results, invariants: [broken] } } as unknown as ClientRun
    return (await repeat([mistake], judged)).repeated[0]!.isFlaky
  }
  expect(await proofOf('always[0]')).toBe(false)
  expect(await proofOf('command')).toBe(true)
})
