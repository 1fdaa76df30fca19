import { describe, expect, it } from 'vitest'
import { isAccepted, toFinding, toFindings } from '../../../src/judge/explore/findings.ts'
import type { RepeatedMistake } from '../../../src/judge/explore/mistakes.ts'
import { injections } from '../../../src/judge/runs/injections.ts'
import { invariantNames } from '../../../src/judge/invariants/invariants.ts'
import type { Schedule } from '../../../src/judge/runs/schedules.ts'
import type { Severity } from '../../../src/judge/runs/run-context.ts'

const scheduleOf = (id: string, nth = 1): Schedule => ({
  name: `${id} @ ${nth}`,
  parts: [
    { injection: injections.find((each) => each.id === id)!, place: { operation: 'video.poll', nth } },
  ] as unknown as Schedule['parts'],
})

const mistake = (habit: string, more: Partial<RepeatedMistake> = {}): RepeatedMistake => ({
  severity: 'misbehaved',
  habit,
  operation: 'video.poll',
  family: 'server error',
  detail: 'a detail',
  schedule: scheduleOf('503'),
  trace: 'a trace',
  repetition: undefined,
  isFlaky: false,
  ...more,
})

it.each([
  ['client.py:42', 'timeout= of requests, httpx or urlopen, aiohttp.ClientTimeout, or asyncio.wait_for.'],
  ['src/client.ts:7', 'signal: AbortSignal.timeout(60_000).'],
])('names the line of the request, and says how in its language: %s', (place, how) => {
  const finding = toFinding([mistake('no-deadline', { place })])
  expect(finding.place).toBe(place)
  expect(finding.advice).toContain(how)
})

it('gives a general advice where no line is known, or its language is another', () => {
  for (const more of [{}, { place: 'client.rb:1' }])
    expect(toFinding([mistake('no-deadline', more)]).advice).toMatch(/a few times\.$/)
})

it('says what a client should do that repeats a final refusal forever', () => {
  const { advice } = toFinding([mistake('retries-forever', { schedule: scheduleOf('404 task') })])
  expect(advice).toContain('Report 400, 401, 403 and 404 at once')
})

it('says that Retry-After may be a date to a client that fails at one, in one finding', () => {
  const failures = ['video.submit', 'video.poll'].map((operation) =>
    mistake('not-retried', { operation, family: 'rate limit', schedule: scheduleOf('429 date') }),
  )
  const findings = toFindings(failures)
  expect(findings).toMatchObject([{ advice: expect.stringContaining('in seconds, or as a date.') }])
})

describe('a finding', () => {
  it.each<[string, readonly string[]]>([
    [
      'fails-by-itself',
      [
        'misbehaved | fails-by-itself',
        'The client fails in the baseline run, in which nothing goes wrong.',
        'Let it succeed first; then explore again.',
      ],
    ],
    [
      'misreads-text',
      [
        'misbehaved | misreads-text',
        'The client reads UTF-8 as Latin-1, also in the baseline run.',
        'Decode every text as UTF-8: events have no charset. In Python: response.encoding = "utf-8".',
      ],
    ],
    [
      'no-deadline',
      [
        'misbehaved | no-deadline',
        'The client waits forever for a response (video.poll).',
        'Give each request a deadline, such as a minute. Then repeat video.poll a few times.',
      ],
    ],
    [
      'polls-forever',
      [
        'misbehaved | polls-forever',
        'The client polls a task forever.',
        'Give each task a deadline, such as ten minutes, and report that it was reached.',
      ],
    ],
    [
      'retries-forever',
      [
        'misbehaved | retries-forever',
        'The client repeats video.poll forever.',
        'Stop after a few attempts and report the last error.',
      ],
    ],
    [
      'ignores-failure',
      [
        'misbehaved | ignores-failure',
        'The client succeeds although it has not everything (video.poll).',
        'Report the failure: throw, or exit with a code other than 0.',
      ],
    ],
    [
      'ignores-early-end',
      [
        'misbehaved | ignores-early-end',
        'The client takes a text that ended early for a whole one (video.poll).',
        'Read the finish reason, and report anything but a normal end.',
      ],
    ],
    [
      'keeps-damaged-bytes',
      [
        'misbehaved | keeps-damaged-bytes | video.poll',
        'The client keeps a damaged download (video.poll).',
        'Check that the bytes are a video or image, and compare them with the length. Download again what differs.',
      ],
    ],
    [
      'skips-download',
      [
        'misbehaved | skips-download | video.poll',
        'The client succeeds, but never downloads what its task made (video.poll).',
        'Download the result of every task that succeeded, or report why you could not.',
      ],
    ],
    [
      'other-result',
      [
        'misbehaved | other-result | video.poll',
        'The client returns a wrong result after server error (video.poll).',
        'Verify what arrived, and report or repeat what is incomplete.',
      ],
    ],
    [
      'resubmits',
      [
        'misbehaved | resubmits',
        'The client pays twice after server error (video.poll).',
        'Once the gateway accepted a request, follow its task or read its text; never submit it again.',
      ],
    ],
    [
      'resubmits-after-time-out',
      [
        'misbehaved | resubmits-after-time-out',
        'The client submits again after a time-out (video.poll), although the first task may exist.',
        'Repeat only the request that timed out: the task was accepted, and goes on.',
      ],
    ],
    [
      'resubmits-after-crash',
      [
        'misbehaved | resubmits-after-crash',
        'The client submits again after a crash (video.poll).',
        'Store the ID of a task at once, before anything else, and follow it after a restart.',
      ],
    ],
    [
      'resubmits-unlisted',
      [
        'misbehaved | resubmits-unlisted | video.poll',
        'The client submits again after a crash, although the gateway lists its tasks (video.poll).',
        'Store that you are about to submit. After a restart, list the tasks, and submit only what is not there.',
      ],
    ],
    [
      'does-not-recover',
      [
        'misbehaved | does-not-recover | video.poll',
        'The client does not go on after a crash (video.poll).',
        'Store each step before the next one, so that the next process can go on from there.',
      ],
    ],
    [
      'leaves-slow-answers',
      [
        'misbehaved | leaves-slow-answers',
        'The client aborts a slow response and sends the request again (video.poll).',
        'Wait longer: the first request goes on and is paid for.',
      ],
    ],
    [
      'crashes',
      [
        'misbehaved | crashes | video.poll',
        'The client crashes after server error (video.poll).',
        'Check what arrived before reading it, and report in words what was wrong with it.',
      ],
    ],
    [
      'unreadable-error',
      [
        'misbehaved | unreadable-error',
        'The client reports an error that says nothing (server error).',
        'Fields may be missing, such as the reason of a failure, and a refusal has another form: have words for both.',
      ],
    ],
    [
      'hides-the-reason',
      [
        'misbehaved | hides-the-reason',
        'The client reports that a task failed, but not why.',
        'Pass the reason of the gateway on to the caller, who can change the prompt.',
      ],
    ],
    [
      'not-retried',
      [
        'misbehaved | not-retried | video.poll | server error',
        'The client gives up at a temporary failure of video.poll: server error.',
        'Repeat the request a few times, with longer and longer waits, and at least as long as Retry-After says.',
      ],
    ],
    [
      'downloads-of-failed-task',
      [
        'misbehaved | downloads-of-failed-task',
        'The client requests the content of a task that failed.',
        'Read the status of the task: after a failure there is nothing to download.',
      ],
    ],
    [
      'repeats-final-refusals',
      [
        'misbehaved | repeats-final-refusals',
        'The client repeats what the gateway refused for good.',
        'Report 400, 401, 403 and 404 at once: they stay the same. Only an expired link of a result is worth another poll.',
      ],
    ],
    [
      'no-duplicate-submit',
      [
        'misbehaved | no-duplicate-submit',
        'The client breaks no-duplicate-submit after server error.',
        'A client follows an accepted task instead of submitting it again: each task costs.',
      ],
    ],
  ])('of the habit %s has a key, says the mistake, and what a good client does', (habit, words) => {
    const { key, sentence, advice } = toFinding([mistake(habit)])
    expect([key, sentence, advice]).toEqual(words)
  })

  it('of a variant of the gateway has the advice of the variant', () => {
    const variant = { id: 'CRLF events', operation: 'chat.complete', advice: 'Use a parser.' }
    const schedule = { name: variant.id, parts: [], variant }
    const { key, sentence, advice } = toFinding([
      mistake('fails-on-variant', { operation: 'any', family: variant.id, schedule }),
    ])
    expect([key, sentence, advice]).toEqual([
      'misbehaved | fails-on-variant | CRLF events',
      'The client fails with a gateway that has CRLF events.',
      'Use a parser.',
    ])
    const without = { name: 'nothing', parts: [] }
    expect(toFinding([mistake('fails-on-variant', { schedule: without })]).advice).toBe('')
  })

  it('names the families, not the operation, if every operation may be concerned', () => {
    const { sentence } = toFinding([mistake('no-deadline', { operation: 'any', family: 'silence' })])
    expect(sentence).toBe('The client waits forever for a response (silence).')
  })

  it('of an invariant has the sentence of it as its advice', () => {
    for (const name of invariantNames) {
      const { key, sentence, advice } = toFinding([mistake(name)])
      expect(key).toBe(`misbehaved | ${name}`)
      expect(sentence).toBe(`The client breaks ${name} after server error.`)
      expect(advice).toMatch(/^[A-Z].+\.$/)
    }
  })

  it('has the worst severity of its mistakes, and the simplest of its schedules', () => {
    const many = {
      ...scheduleOf('503'),
      name: 'a pair',
      parts: [...scheduleOf('503').parts, ...scheduleOf('429').parts],
    }
    const schedules = [
      many,
      scheduleOf('503 for good'),
      scheduleOf('503 thrice'),
      scheduleOf('500'),
      scheduleOf('503', 3),
      scheduleOf('503', 2),
    ]
    const severities: Severity[] = [
      'misbehaved',
      'paid twice',
      'hung',
      'gave up',
      'wrong result',
      'misbehaved',
    ]
    const group = schedules.map((schedule, index) =>
      mistake('crashes', {
        schedule,
        severity: severities[index]!,
        detail: schedule.name,
        trace: `trace of ${schedule.name}`,
      }),
    )
    expect(toFinding(group)).toMatchObject({
      key: 'wrong result | crashes | video.poll',
      severity: 'wrong result',
      detail: '503 @ 2',
      trace: 'trace of 503 @ 2',
      schedule: { name: '503 @ 2' },
      schedules: ['a pair', '503 for good @ 1', '503 thrice @ 1', '500 @ 1', '503 @ 3', '503 @ 2'],
      unrepeated: [],
      isFlaky: false,
    })
    const simplest = (count: number): string => toFinding(group.slice(0, count)).schedule.name
    expect([1, 2, 3, 4, 5].map(simplest)).toEqual([
      'a pair',
      '503 for good @ 1',
      '503 thrice @ 1',
      '500 @ 1',
      '503 @ 3',
    ])
    expect(toFinding(group.toReversed()).schedule.name).toBe('503 @ 2')
  })
})

describe('findings', () => {
  const keysOf = (mistakes: readonly RepeatedMistake[]): string[] =>
    toFindings(mistakes).map(({ key }) => key)

  it('are apart by operation where that matters', () => {
    const operations = ['video.poll', 'video.content']
    const of = (habit: string): RepeatedMistake[] =>
      operations.map((operation) => mistake(habit, { operation }))
    expect(keysOf([...of('crashes'), ...of('polls-forever')])).toEqual([
      'misbehaved | crashes | video.poll',
      'misbehaved | crashes | video.content',
      'misbehaved | polls-forever',
    ])
  })

  it('are apart by family for a client that gives up at few of them, and by variant', () => {
    const of = (habit: string, families: readonly string[]): RepeatedMistake[] =>
      families.map((family) => mistake(habit, { family, severity: 'gave up' }))
    expect(keysOf(of('not-retried', ['rate limit', 'server error']))).toEqual([
      'gave up | not-retried | video.poll | rate limit',
      'gave up | not-retried | video.poll | server error',
    ])
    expect(keysOf(of('not-retried', ['rate limit', 'server error', 'network']))).toEqual([
      'gave up | not-retried | video.poll',
    ])
    expect(keysOf(of('fails-on-variant', ['one', 'two', 'three']))).toEqual([
      'gave up | fails-on-variant | one',
      'gave up | fails-on-variant | two',
      'gave up | fails-on-variant | three',
    ])
    const [never] = toFindings(of('not-retried', ['rate limit', 'server error', 'network']))
    expect(never!.sentence).toBe('The client never repeats video.poll: rate limit, server error, network.')
  })

  it('come worst first, and among equals the most frequent first', () => {
    const frequent = [scheduleOf('503'), scheduleOf('500')].map((schedule) =>
      mistake('polls-forever', { schedule }),
    )
    const worst = mistake('ignores-failure', { severity: 'wrong result' })
    expect(keysOf([mistake('crashes'), ...frequent, worst])).toEqual([
      'wrong result | ignores-failure',
      'misbehaved | polls-forever',
      'misbehaved | crashes | video.poll',
    ])
  })

  it('list runs that did not repeat, and are flaky if none did', () => {
    const once = mistake('crashes', { schedule: scheduleOf('500'), isFlaky: true })
    const flaky = mistake('polls-forever', { isFlaky: true })
    expect(
      toFindings([mistake('crashes'), once, flaky]).map(({ key, schedules, unrepeated, isFlaky }) => [
        key,
        schedules.join(),
        unrepeated.join(),
        isFlaky,
      ]),
    ).toEqual([
      ['misbehaved | crashes | video.poll', '503 @ 1,500 @ 1', '500 @ 1', false],
      ['misbehaved | polls-forever', '503 @ 1', '503 @ 1', true],
    ])
  })

  it('are accepted by their key, or by a key that covers theirs', () => {
    const key = 'gave up | not-retried | video.poll | rate limit'
    expect(isAccepted(key, [key])).toBe(true)
    expect(isAccepted(key, ['hung | no-deadline', 'gave up | not-retried | video.poll'])).toBe(true)
    expect(isAccepted(key, ['gave up | not-retried | video.poll | rate'])).toBe(false)
    expect(isAccepted('gave up | not-retried | video.poll', [key])).toBe(false)
    expect(isAccepted(key, [])).toBe(false)
  })
})
