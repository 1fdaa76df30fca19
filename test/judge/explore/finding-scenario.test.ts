import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../../src/index.ts'
import type { ClientRun } from '../../../src/judge/runs/client-run.ts'
import { toFinding } from '../../../src/judge/explore/findings.ts'
import { toFindingScenario } from '../../../src/judge/explore/finding-scenario.ts'
import { crashInjections, injections } from '../../../src/judge/runs/injections.ts'
import { findPlaces } from '../../../src/judge/runs/places.ts'
import type { Severity } from '../../../src/judge/runs/run-context.ts'
import { nameSchedule, type Base, type Schedule } from '../../../src/judge/runs/schedules.ts'
import { judge } from '../../../src/judge/judge.ts'
import type { JudgedTask } from '../../../src/judge/verdict.ts'
import { chat, content, placeOf, poll, start, Story, submit } from '../entries.ts'

const story = new Story()
for (const made of [
  submit(),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ sendsFile: true }),
  chat({ stream: { chunks: 3, ended: 'finished' } }),
  chat({ operation: 'responses.create' }),
])
  story.add(made)
const { entries: exchanges, operations } = story
const verdict = judge({ watch: story.watch, tasks: [], now: start })
const tasks = ['video', 'drawing', 'video'].map((kind) => ({ kind, status: 'SUCCESS' }) as JudgedTask)

function baselineOf(result: string, kinds = tasks): ClientRun {
  return { exchanges, operations, verdict: { ...verdict, tasks: kinds }, result } as unknown as ClientRun
}

const baseOf = (scenario: Partial<Scenario> = {}, more: Partial<Base> = {}): Base => ({
  scenario: { version: 1, ...scenario } as Scenario,
  hasComparableTexts: false,
  expect: { artifacts: [{ kind: 'video', downloaded: 'intact' }] },
  maxVirtualMs: 3_600_000,
  ...more,
})

const places = findPlaces({ exchanges, operations })

/** A schedule with faults at operations: `503 @ video.poll`. */
function scheduleOf(...faults: readonly (readonly [id: string, operation: string])[]): Schedule {
  const parts = faults.map(([id, operation]) => ({
    injection: [...injections, ...crashInjections].find((each) => each.id === id)!,
    place: placeOf(places, (place) => place.operation === operation),
  }))
  return { name: nameSchedule(parts), parts }
}

const variant = { id: 'a variant', operation: 'chat.complete', advice: 'Use a parser.' }
const varied: Schedule = { name: variant.id, parts: [], variant }

interface Found {
  readonly schedule: Schedule
  readonly baseline?: ClientRun
  readonly base?: Base
}

function scenarioOf(severity: Severity, habit: string, found: Found): Scenario | undefined {
  const { schedule, baseline = baselineOf('"a video"'), base = baseOf() } = found
  const mistake = { severity, habit, operation: 'any', family: 'a family', detail: '', schedule, trace: '' }
  return toFindingScenario(toFinding([mistake]), { baseline, base })
}

const poll503 = scheduleOf(['503', 'video.poll'])
const textOnly = baselineOf('It rains', [])

describe('the scenario of a finding expects', () => {
  it.each<[string, Severity, string, Found, unknown[]]>([
    [
      'no violation of an invariant',
      'misbehaved',
      'one-key',
      { schedule: poll503 },
      [{ always: ['one-key'], allow: { notExercised: true } }],
    ],
    [
      'a failure, too, if the gateway failed',
      'misbehaved',
      'one-key',
      { schedule: scheduleOf(['401', 'video.submit']) },
      [{ always: ['one-key'], command: 'fails', allow: { notExercised: true } }],
    ],
    [
      'any end, if a client may fail',
      'misbehaved',
      'one-key',
      { schedule: scheduleOf(['tool loop', 'chat.complete']) },
      [{ always: ['one-key'], command: 'any', allow: { notExercised: true } }],
    ],
    [
      'no further task',
      'paid twice',
      'resubmits',
      { schedule: poll503 },
      [
        {
          tasks: [
            { kind: 'video', count: { max: 2 } },
            { kind: 'drawing', count: { max: 1 } },
          ],
          command: 'any',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'no further text',
      'paid twice',
      'resubmits',
      { schedule: scheduleOf(['503', 'chat.complete']), baseline: textOnly },
      [
        {
          requests: [{ op: 'chat.complete', count: { max: 1 } }],
          command: 'any',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'no further text of a variant',
      'paid twice',
      'resubmits',
      { schedule: varied, baseline: textOnly },
      [
        {
          requests: [{ op: 'chat.complete', count: { max: 1 } }],
          command: 'any',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'few repeats of a refusal',
      'misbehaved',
      'repeats-final-refusals',
      { schedule: scheduleOf(['403 quota', 'video.submit']) },
      [
        {
          requests: [{ op: 'video.submit', status: 403, count: { max: 2 } }],
          command: 'fails',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'no refused download',
      'misbehaved',
      'downloads-of-failed-task',
      { schedule: scheduleOf(['fails', 'video.submit']) },
      [
        {
          requests: [{ role: 'download', status: '4xx', count: 0 }],
          command: 'fails',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'an end',
      'hung',
      'no-deadline',
      { schedule: scheduleOf(['hang', 'video.poll']) },
      [{ command: 'any', allow: { notExercised: true } }],
    ],
    [
      'a failure, if the task is stuck',
      'hung',
      'polls-forever',
      { schedule: scheduleOf(['stuck', 'video.submit']) },
      [{ command: 'fails', allow: { notExercised: true } }],
    ],
    [
      'a report',
      'wrong result',
      'ignores-failure',
      { schedule: scheduleOf(['fails', 'video.submit']) },
      [{ command: 'fails', allow: { notExercised: true } }],
    ],
    [
      'a report, if a text that is requested once ends early',
      'wrong result',
      'ignores-early-end',
      { schedule: scheduleOf(['max tokens', 'chat.complete']), baseline: textOnly },
      [{ command: 'fails', allow: { notExercised: true } }],
    ],
    [
      'the text that the client printed',
      'wrong result',
      'other-result',
      { schedule: poll503, baseline: textOnly },
      [{ command: { stdout: { matches: String.raw`^\s*It rains\s*$` } }, allow: { notExercised: true } }],
    ],
    [
      'the file, unless the client reports a failure',
      'wrong result',
      'keeps-damaged-bytes',
      { schedule: scheduleOf(['corrupt', 'video.content']) },
      [
        {
          artifacts: [{ kind: 'video', downloaded: 'intact' }],
          command: 'any',
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'the tasks, without files',
      'gave up',
      'not-retried',
      { schedule: poll503, base: baseOf({}, { expect: {} }) },
      [
        {
          tasks: [
            { kind: 'video', count: 2, status: 'SUCCESS' },
            { kind: 'drawing', count: 1, status: 'SUCCESS' },
          ],
          allow: { notExercised: true },
        },
      ],
    ],
    [
      'a success, if there are no tasks',
      'gave up',
      'not-retried',
      { schedule: poll503, baseline: textOnly },
      [{ command: 'passes', allow: { notExercised: true } }],
    ],
    [
      'the same text, if there are no tasks',
      'wrong result',
      'keeps-damaged-bytes',
      { schedule: poll503, baseline: textOnly },
      [{ command: { stdout: { matches: String.raw`^\s*It rains\s*$` } }, allow: { notExercised: true } }],
    ],
    [
      'what the base allows',
      'gave up',
      'not-retried',
      { schedule: varied, base: baseOf({ expect: { allow: { abandonedTasks: true } } }) },
      [
        {
          tasks: [
            { kind: 'video', count: 2, status: 'SUCCESS' },
            { kind: 'drawing', count: 1, status: 'SUCCESS' },
          ],
          artifacts: [{ kind: 'video', downloaded: 'intact' }],
          allow: { notExercised: true, abandonedTasks: true },
        },
      ],
    ],
  ])('%s', (_what, severity, habit, found, expected) => {
    expect([scenarioOf(severity, habit, found)?.expect]).toEqual(expected)
  })

  it.each<[string, Severity, string, Found]>([
    [
      'occurs in the baseline run',
      'gave up',
      'fails-by-itself',
      { schedule: { name: 'baseline', parts: [] } },
    ],
    [
      'is an error without words',
      'misbehaved',
      'unreadable-error',
      { schedule: scheduleOf(['401', 'video.submit']) },
    ],
    [
      'is a crash where a failure is fine',
      'gave up',
      'crashes',
      { schedule: scheduleOf(['tool loop', 'chat.complete']) },
    ],
    [
      'is a result in JSON',
      'wrong result',
      'other-result',
      { schedule: poll503, baseline: baselineOf('{"a":1}', []) },
    ],
    [
      'is a list in JSON',
      'wrong result',
      'other-result',
      { schedule: poll503, baseline: baselineOf('[1]', []) },
    ],
    [
      'is an empty result',
      'wrong result',
      'other-result',
      { schedule: poll503, baseline: baselineOf('', []) },
    ],
    [
      'is a long result',
      'wrong result',
      'other-result',
      { schedule: poll503, baseline: baselineOf('x'.repeat(1_001), []) },
    ],
  ])('nothing if the mistake %s', (_what, severity, habit, found) => {
    expect(scenarioOf(severity, habit, found)).toBeUndefined()
  })

  it('a text of a thousand characters, and words that only contain those of masks', () => {
    for (const result of ['x'.repeat(1_000), 'some tasks, sometimes', 'an array [1]'])
      expect(
        scenarioOf('wrong result', 'other-result', { schedule: poll503, baseline: baselineOf(result, []) })
          ?.expect,
      ).toEqual({
        command: { stdout: { matches: String.raw`^\s*${result.replace('[1]', String.raw`\[1\]`)}\s*$` } },
        allow: { notExercised: true },
      })
  })
})

describe('the scenario of a finding has', () => {
  const printed = baselineOf('A kite flies over Tōkyō.', [])
  const rulesOf = (found: Found): (string | undefined)[] | undefined =>
    scenarioOf('gave up', 'not-retried', found)?.rules?.map(({ id }) => id)

  it('its rule before those of the base', () => {
    const rules: Scenario['rules'] = [
      { id: 'mine', optional: true, match: { op: 'models.list' }, respond: { status: 503 } },
    ]
    expect(rulesOf({ schedule: poll503, base: baseOf({ rules }), baseline: printed })).toEqual([
      'fault-503',
      'mine',
    ])
  })

  it('the comparable texts, if the client has texts', () => {
    const configOf = (baseline: ClientRun): unknown =>
      scenarioOf('gave up', 'not-retried', { schedule: poll503, baseline, base: comparable })?.config
    const comparable = baseOf({}, { hasComparableTexts: true })
    expect(configOf(printed)).toEqual({ text: { mode: 'multibyte' } })
    expect(configOf({ ...printed, exchanges: [] })).toBeUndefined()
  })

  it('a name, the mistake, the advice, and the clock, config and crashes of the run', () => {
    const schedule = scheduleOf(['crash after', 'video.submit'])
    const base = baseOf(
      { seed: 7, clock: 'manual', crash: [{ op: 'video.poll', nth: 2 }] },
      { maxVirtualMs: 1_000 * 3_600_000 },
    )
    expect([scenarioOf('paid twice', 'resubmits-after-crash', { schedule, base })]).toEqual([
      {
        version: 1,
        seed: 7,
        clock: { mode: 'manual', limit: '1000h' },
        crash: [
          { op: 'video.poll', nth: 2 },
          { op: 'video.submit', nth: 1, accepted: true },
        ],
        name: 'crash after @ video.submit',
        description:
          'The client submits again after a crash (a family). Store the ID of a task at once, before anything else, and follow it after a restart.',
        expect: {
          tasks: [
            { kind: 'video', count: { max: 2 } },
            { kind: 'drawing', count: { max: 1 } },
          ],
          command: 'any',
          allow: { notExercised: true },
        },
      },
    ])
    const configured = { ...varied, variant: { ...variant, quirks: { sseNewline: 'crlf' } } }
    expect(scenarioOf('gave up', 'fails-on-variant', { schedule: configured })).toMatchObject({
      name: 'a variant',
      description: 'The client fails with a gateway that has a family. Use a parser.',
      config: { quirks: { sseNewline: 'crlf' } },
    })
  })
})

it.each([
  ['the task is done', '^\\s*the \\S+ is done\\s*$'],
  ['at time', '^\\s*at \\S+\\s*$'],
  ['in …s', '^\\s*in \\S+\\s*$'],
  ['from ${url}', '^\\s*from \\S+\\s*$'],
  ['${runDir}/kite.mp4', '^\\s*\\S+/kite\\.mp4\\s*$'],
])('takes what differs in each run for any word: %s', (result, matches) => {
  const found = { schedule: poll503, baseline: baselineOf(result, []) }
  const scenario = scenarioOf('wrong result', 'other-result', found)
  expect(scenario?.expect).toMatchObject({ command: { stdout: { matches } } })
})

it('the scenario of a text that ended early ends each attempt early, since a client may request it again', () => {
  const rulesOf = (operation: string): unknown =>
    scenarioOf('wrong result', 'ignores-early-end', {
      schedule: scheduleOf(['max tokens', operation]),
      baseline: textOnly,
    })!.rules!.map(({ on, match }) => ({ on, match }))
  expect(rulesOf('chat.complete')).toEqual([{ on: undefined, match: { op: 'chat.complete' } }])
})
