import { expect, it } from 'vitest'
import { groupByCause } from '../../../src/judge/explore/causes.ts'
import { toFindings } from '../../../src/judge/explore/findings.ts'
import type { RepeatedMistake } from '../../../src/judge/explore/mistakes.ts'
import type { Severity } from '../../../src/judge/runs/run-context.ts'
import { baseline, type Schedule } from '../../../src/judge/runs/schedules.ts'

const runs = new Map<string, Schedule>()
function runNamed(name: string): Schedule {
  const known = runs.get(name) ?? {
    name,
    parts: [],
    variant: { id: name, operation: 'video.poll', advice: '' },
  }
  runs.set(name, known)
  return known
}

/** A mistake of a run, from a request on; without one, at the end. */
function mistake(run: string | Schedule, habit: string, since?: number, severity: Severity = 'gave up') {
  const schedule = typeof run === 'string' ? runNamed(run) : run
  return {
    severity,
    habit,
    operation: 'video.poll',
    family: schedule.name,
    detail: '',
    since,
    schedule,
    trace: '',
    repetition: undefined,
    isFlaky: false,
  } satisfies RepeatedMistake
}

const groupsOf = (mistakes: readonly RepeatedMistake[]): string[] =>
  groupByCause(mistakes).map(({ leading, following }) =>
    [...leading, '<', ...following].map((each) => (typeof each === 'string' ? each : each.habit)).join(' '),
  )

it('leads with the earliest mistake of a run, and lists what followed from it', () => {
  const late = mistake('CRLF', 'resubmits', 3)
  expect(groupsOf([late, mistake('CRLF', 'fails-on-variant', 0)])).toEqual(['fails-on-variant < resubmits'])
})

it('takes a mistake without a request for one at the end', () => {
  expect(groupsOf([mistake('one', 'no-abandoned-task'), mistake('one', 'polls-forever', 90)])).toEqual([
    'polls-forever < no-abandoned-task',
  ])
})

it('lets bad manners cause nothing worse, but for polls after the end of a task', () => {
  const endless = mistake('one', 'polls-forever', 90, 'hung')
  expect(groupsOf([mistake('one', 'poll-interval', 3, 'misbehaved'), endless])).toEqual([
    'polls-forever < poll-interval',
  ])
  expect(groupsOf([mistake('one', 'no-poll-after-terminal', 3, 'misbehaved'), endless])).toEqual([
    'no-poll-after-terminal < polls-forever',
  ])
})

it('keeps two mistakes of different runs apart', () => {
  expect(groupsOf([mistake('one', 'no-deadline', 2), mistake('two', 'polls-forever', 2)])).toEqual([
    'no-deadline <',
    'polls-forever <',
  ])
})

it('keeps a mistake that leads somewhere apart, also where it follows another one', () => {
  const both = [mistake('one', 'no-deadline', 2), mistake('one', 'polls-forever', 5)]
  expect(groupsOf([...both, mistake('two', 'polls-forever', 1)])).toEqual([
    'no-deadline <',
    'polls-forever polls-forever <',
  ])
})

it('takes a client that repeats neither refusals nor errors anywhere for one without a retry', () => {
  const at = (operation: string, family: string) => ({
    ...mistake(`${family} @ ${operation}`, 'not-retried', 2),
    operation,
    family,
  })
  const families = ['rate limit', 'server error']
  const everywhere = ['video.poll', 'video.content'].flatMap((each) => families.map((name) => at(each, name)))
  expect(groupByCause(everywhere)).toHaveLength(1)
  expect(groupByCause([...everywhere.slice(0, 3), at('video.content', 'network')])).toHaveLength(2)
})

it('lets each mistake of the baseline run stand by itself', () => {
  expect(groupsOf([mistake(baseline, 'one-key', 1), mistake(baseline, 'poll-interval', 2)])).toEqual([
    'one-key <',
    'poll-interval <',
  ])
})

it('gives a finding the worst severity of what follows, and says that below', () => {
  const [finding, ...others] = toFindings([
    mistake('CRLF', 'resubmits', 3, 'paid twice'),
    mistake('CRLF', 'fails-on-variant', 0),
  ])
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    key: 'gave up | fails-on-variant | CRLF',
    severity: 'paid twice',
    consequences: [{ severity: 'paid twice', habit: 'resubmits', schedules: ['CRLF'] }],
  })
})
