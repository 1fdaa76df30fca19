import { expect, it } from 'vitest'
import type { ClientRun, RunOptions } from '../../../src/judge/runs/client-run.ts'
import { repeatMistakes } from '../../../src/judge/explore/confirm.ts'
import type { ObservedMistake } from '../../../src/judge/explore/findings.ts'
import { injections } from '../../../src/judge/runs/injections.ts'
import { findPlaces } from '../../../src/judge/runs/places.ts'
import { ProgressMeter } from '../../../src/judge/explore/progress.ts'
import { RunGroup } from '../../../src/judge/explore/run-group.ts'
import { nameSchedule, type Base, type Schedule } from '../../../src/judge/runs/schedules.ts'
import { judge } from '../../../src/judge/judge.ts'
import type { Scenario } from '../../../src/index.ts'
import { content, poll, Story, submit, type Made } from '../entries.ts'

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
  expect: { artifacts: [{ channel: 'video', downloaded: 'intact' }], allow: { notExercised: true } },
  maxVirtualMs: 7_000,
}
const failed = { ended: 'failed', result: '', reason: 'gave up', output: 'gave up' } as const

function scheduleOf(id: string, operation: string): Schedule {
  const place = findPlaces(runOf(whole)).find((each) => each.operation === operation)!
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

it('takes a mistake that occurs again for certain, and another for flaky', async () => {
  const mistakes = [mistakeOf('not-retried', poll503), mistakeOf('crashes', poll503)]
  const run = runOf(hit, failed)
  const { repeated } = await repeat(mistakes, run)
  expect(repeated).toEqual([
    { ...mistakes[0], repetition: run, isFlaky: false },
    { ...mistakes[1], repetition: run, isFlaky: true },
  ])
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

it('refutes a mistake that occurs again in a run that passes its scenario', async () => {
  const mistake = mistakeOf('other-result', poll503, 'wrong result')
  const other = runOf(hit, { result: 'It snows' })
  const passed = { path: 'command.stdout', verdict: 'pass', fails: false }
  const judged = (...results: readonly object[]): ClientRun =>
    ({ ...other, verdict: { ...other.verdict, results } }) as ClientRun
  const refutedBy = async (run: ClientRun) => (await repeat([mistake], run)).repeated[0]!.isRefuted
  expect(await refutedBy(judged(passed))).toBe(true)
  expect(await refutedBy(judged({ ...passed, verdict: 'fail', fails: true }))).toBeUndefined()
  expect(await refutedBy(judged({ ...passed, verdict: 'not-applicable' }))).toBeUndefined()
})
