import { describe, expect, it } from 'vitest'
import type { Expect, InvariantName } from '../../src/index.ts'
import { isDelivered } from '../../src/judge/exchanges.ts'
import { invariants } from '../../src/judge/invariants/invariants.ts'
import type { ClientEnd } from '../../src/judge/invariants/invariant.ts'
import { unknownWaits } from '../../src/judge/waits.ts'
import { chat, content, poll, Story, submit, type Made } from './entries.ts'
import { needs } from '../support/needs.ts'

/** The report of an invariant as one line. */
function lineOf(
  name: InvariantName,
  exchanges: readonly Made[],
  end?: ClientEnd,
  settings: object = {},
): string {
  const story = new Story({ always: [{ name, ...settings } as NonNullable<Expect['always']>[number]] })
  for (const made of exchanges) story.add(made)
  story.watch.end = end
  const { verdict, exercised, violations, first, doubtful, reason, unjudgedRules } = story.invariant(name)
  const of = (violation = first): string =>
    violation ? `${violation.message} ${violation.requests.map((number) => `#${number}`).join(' ')}` : ''
  return [
    `${verdict} ${violations} of ${exercised}`,
    of(),
    doubtful && `doubtful ${doubtful.count}: ${of(doubtful.first)}`,
    reason,
    unjudgedRules?.join(),
  ]
    .filter(Boolean)
    .join('; ')
}

it('has sentences for each invariant: what it means, what to do, what would exercise it', () => {
  needs('mj.imagine')
  expect(
    invariants.map(({ name, means, advice, needs, severity }) =>
      [name, means, advice, needs, severity ?? ''].join(' | '),
    ),
  ).toEqual([
    'answers-callbacks | A client answers each callback before the time-out of its sender. | Answer a callback at once, and do the work after that: a sender that gets no answer sends it again, or gives up. | callback reached a client on the clock | ',
    'auth-on-every-call | Every request carries a key, downloads included. | Send the key with every request, also with polls and downloads. | request needed a key | ',
    'backs-off | After 429, 5xx or a broken response, a client waits before it retries, and its waits do not shrink. | After 429, 5xx or a broken response, wait before you retry, and longer each time. | request was retried after 429, 5xx or a broken response | ',
    'ends-tool-loop | A client that answers tool calls stops after a number of rounds, since each costs. | Count the rounds of tool calls, and report when there are too many. | text called a tool | hung',
    'honours-retry-after | A client retries a request no sooner than Retry-After says. | Wait as long as Retry-After says before you send the request again. | client retried a request that got Retry-After | ',
    'no-abandoned-task | A client follows each task that is paid for to its end, or cancels it, before it ends. | Follow each task to its end or cancel it. If you must leave one, end with an error that names it. | task was paid for | gave up',
    'no-duplicate-submit | A client follows an accepted task instead of submitting it again: each task costs. | Follow the task that was accepted instead of submitting it again: each task costs. | submission was accepted | paid twice',
    'no-early-download | A client downloads after its task has ended, not before. | Download only after a poll has reported success. | download was requested | ',
    'no-poll-after-terminal | A client stops polling a task when it knows that the task has ended. | Stop polling once a poll reports the end of the task. | poll showed the end of a task | ',
    'one-key | All requests about a task carry the key that submitted it. | Poll and download a task with the key that submitted it. | request about a task followed its submission | ',
    'poll-interval | Two polls of a task are at least 5 seconds apart, or as far as the file says. | Wait at least 5 seconds between two polls of a task, or as long as its API or the file says. | unfinished task was polled twice | ',
    'reads-stream-to-end | A stream that breaks off, is cut or reports an error is requested again or reported, not accepted as complete. | Read each stream to its end. If it breaks off, request it again, or end with an error. | stream was requested | ',
    'verifies-webhooks | A client refuses a callback whose signature is wrong. | Verify the signature over the bytes of the body, and answer with 401 if it is wrong. | forged callback was sent | ',
    'modal-follows-its-action | A client answers the dialogs that its actions open, and no others. | Answer each dialog that an action opens, once. | dialog was opened | ',
  ])
})

it('says of each invariant why it was not exercised', () => {
  needs('mj.imagine')
  expect(invariants.map(({ name }) => `${name}: ${lineOf(name, [])}`)).toEqual([
    'answers-callbacks: not-exercised 0 of 0; no callback reached a client on the clock',
    'auth-on-every-call: not-exercised 0 of 0; no request needed a key',
    'backs-off: not-exercised 0 of 0; no request was retried after 429, 5xx or a broken response',
    'ends-tool-loop: not-exercised 0 of 0; no text called a tool',
    'honours-retry-after: not-exercised 0 of 0; no client retried a request that got Retry-After',
    'no-abandoned-task: not-exercised 0 of 0; no task was paid for',
    'no-duplicate-submit: not-exercised 0 of 0; no submission was accepted',
    'no-early-download: not-exercised 0 of 0; no download was requested',
    'no-poll-after-terminal: not-exercised 0 of 0; no poll showed the end of a task',
    'one-key: not-exercised 0 of 0; no request about a task followed its submission',
    'poll-interval: not-exercised 0 of 0; no unfinished task was polled twice',
    'reads-stream-to-end: not-exercised 0 of 0; no stream was requested',
    'verifies-webhooks: not-exercised 0 of 0; no forged callback was sent',
    'modal-follows-its-action: not-exercised 0 of 0; no dialog was opened',
  ])
})

const lost = { outcome: 'failed', bytes: 0, status: 0, fault: 'reset' } as const
const boat = { task: 'task_2', identity: 'boat' }
const again = { task: 'task_2' }
const assumed = { timing: 'assumed' } as const
const wall = { timing: 'wall' } as const
const refused = (more: Made = {}): Made => poll(null, { status: 429, retryAfterMs: 10_000, ...more })
const failedPolls = (...instants: number[]): Made[] =>
  instants.map((atMs) => poll(null, { status: 503, atMs }))

describe('a report', () => {
  it.each<[InvariantName, string, readonly Made[], readonly string[]]>([
    [
      'auth-on-every-call',
      'requests without keys',
      [submit({ key: '' }), poll('queued', { key: '' }), { operation: 'models.list' }],
      ['fail 2 of 3; POST /video.submit/task_1 carried no key. #1'],
    ],
    [
      'auth-on-every-call',
      'a signed link that is refused',
      [submit(), content({ key: '', status: 401 })],
      ['fail 1 of 2; GET /video.content/task_1 carried no key. #2'],
    ],
    [
      'one-key',
      'another key',
      [submit(), poll('queued', { key: 'sk-other' }), poll('queued', { key: 'sk-other' }), poll('queued')],
      ['fail 2 of 3; Task task_1 was submitted with sk-test, but video.poll used sk-other. #1 #2'],
    ],
    [
      'one-key',
      'a key that looks the same',
      [submit(), poll('queued', { keyHash: 'another' })],
      [
        'fail 1 of 1; Task task_1 was submitted with sk-test, but video.poll used another key that looks the same when masked. #1 #2',
      ],
    ],
    [
      'one-key',
      'a key that was refused',
      [submit(), poll(null, { status: 401 }), poll('queued', { key: 'sk-other' })],
      ['pass 0 of 2'],
    ],
    [
      'one-key',
      'a key that was forbidden',
      [submit(), poll(null, { status: 403 }), poll('queued', { key: 'sk-other' })],
      ['pass 0 of 2'],
    ],
    [
      'no-early-download',
      'a refused download',
      [submit(), content({ status: 400, final: false })],
      ['fail 1 of 1; Task task_1 had not ended when video.content was requested. #2'],
    ],
    [
      'no-early-download',
      'a refused download of a task that ended',
      [submit(), poll('SUCCESS'), content({ status: 400, final: false })],
      ['pass 0 of 1'],
    ],
    [
      'no-early-download',
      'a download after a wrong state',
      [submit(), poll(null), content({ status: 400, final: false })],
      ['pass 0 of 1'],
    ],
    [
      'no-poll-after-terminal',
      'a poll after the end',
      [submit(), poll('SUCCESS'), poll('SUCCESS'), poll('SUCCESS')],
      ['fail 2 of 3; Task task_1 was polled again after #2 reported its end. #2 #3'],
    ],
    [
      'no-poll-after-terminal',
      'a poll after a failed download',
      [submit(), poll('SUCCESS'), content({ status: 503 }), poll('SUCCESS')],
      ['pass 0 of 2'],
    ],
    [
      'no-poll-after-terminal',
      'a poll after an end that was lost',
      [submit(), poll('SUCCESS', lost), poll('SUCCESS')],
      ['pass 0 of 1'],
    ],
    [
      'poll-interval',
      'hasty polls',
      [
        submit(),
        poll('queued', { atMs: 5_000 }),
        poll('queued', { atMs: 9_499 }),
        poll('queued', { atMs: 14_000 }),
      ],
      ['fail 1 of 2; Task task_1 was polled again after 4s499ms of virtual time, expected 5s or more. #2 #3'],
    ],
    [
      'poll-interval',
      'slow polls',
      [
        submit(),
        poll('queued', { atMs: 5_000 }),
        poll('queued', { atMs: 16_001 }),
        poll('queued', { atMs: 27_000 }),
      ],
      ['pass 0 of 2'],
    ],
    [
      'poll-interval',
      'slow polls between others',
      [submit(), poll('queued'), chat(), poll('queued', { atMs: 20_000 })],
      ['pass 0 of 1'],
    ],
    [
      'poll-interval',
      'polls after failures',
      [submit(), ...failedPolls(0, 100), poll('queued', { atMs: 200 })],
      ['not-exercised 0 of 0; no unfinished task was polled twice'],
    ],
    [
      'poll-interval',
      'polls whose waits are assumed',
      [submit(assumed), poll('queued', assumed), poll('queued', assumed)],
      [`not-applicable 0 of 0; ${unknownWaits}`],
    ],
    [
      'poll-interval',
      'slow polls in real time',
      [submit(wall), poll('queued', wall), poll('queued', { ...wall, atMs: 12_000 })],
      ['pass 0 of 1'],
    ],
    [
      'poll-interval',
      'polls without an interval',
      [
        submit({ operation: 'mj.imagine' }),
        poll('queued', { operation: 'mj.fetch' }),
        poll('queued', { operation: 'mj.fetch' }),
      ],
      ['not-exercised 0 of 0; no interval is known for mj.fetch. Write min or max'],
    ],
    [
      'honours-retry-after',
      'an early retry',
      [submit(), refused({ rules: ['storm'] }), poll('queued', { atMs: 8_999 })],
      [
        'fail 1 of 1; video.poll was retried after 8s999ms of virtual time, but #2 had Retry-After 10s. #2 #3',
      ],
    ],
    [
      'honours-retry-after',
      'a retry that is a second early',
      [submit(), refused(), poll('queued', { atMs: 9_000 })],
      ['pass 0 of 1'],
    ],
    [
      'honours-retry-after',
      'a retry after half of a short wait',
      [submit(), refused({ retryAfterMs: 1_000 }), poll('queued', { atMs: 500 })],
      ['pass 0 of 1'],
    ],
    [
      'honours-retry-after',
      'a retry in time, and a poll after it',
      [submit(), refused(), poll('queued', { atMs: 10_000 }), poll('queued', { atMs: 12_000 })],
      ['pass 0 of 1'],
    ],
    [
      'honours-retry-after',
      'an early retry of a submission',
      [submit({ status: 429, retryAfterMs: 10_000, task: null }), submit({ atMs: 1_000 })],
      ['fail 1 of 1; video.submit was retried after 1s of virtual time, but #1 had Retry-After 10s. #1 #2'],
    ],
    [
      'honours-retry-after',
      'a refusal that was lost',
      [submit(), refused({ outcome: 'failed' }), poll('queued', { atMs: 100 })],
      ['not-exercised 0 of 0; no client retried a request that got Retry-After'],
    ],
    [
      'honours-retry-after',
      'an early retry whose wait is assumed',
      [
        submit(assumed),
        refused({ ...assumed, rules: ['storm', 'rain'] }),
        poll('queued', { ...assumed, atMs: 100 }),
      ],
      [`not-applicable 0 of 0; ${unknownWaits}; storm,rain`],
    ],
    [
      'backs-off',
      'immediate retries',
      [submit(), ...failedPolls(0, 0, 49)],
      [
        'fail 1 of 2; video.poll was retried without a wait (less than 50ms of virtual time and 100ms of real time), twice in a row. #3 #4',
      ],
    ],
    ['backs-off', 'one immediate retry', [submit(), ...failedPolls(0, 0, 50)], ['pass 0 of 2']],
    [
      'backs-off',
      'waits that shrink',
      [submit(), ...failedPolls(0, 16_000, 23_000, 26_000, 27_000)],
      ['fail 1 of 4; The waits before video.poll shrink, down to 1s. #5 #6'],
    ],
    [
      'backs-off',
      'waits that shrink twice',
      [submit(), ...failedPolls(0, 16_000, 23_000, 26_000, 29_000)],
      ['pass 0 of 4'],
    ],
    [
      'backs-off',
      'immediate retries of a submission',
      [0, 0, 0].map((atMs) => submit({ atMs, status: 503, task: null })),
      [
        'fail 1 of 2; video.submit was retried without a wait (less than 50ms of virtual time and 100ms of real time), twice in a row. #2 #3',
      ],
    ],
    [
      'backs-off',
      'immediate retries in real time',
      [submit(wall), ...failedPolls(0, 99, 198).map((made) => ({ ...made, ...wall }))],
      [
        'fail 1 of 2; video.poll was retried without a wait (less than 100ms of real time), twice in a row. #3 #4',
      ],
    ],
    [
      'backs-off',
      'waits that shrink in real time',
      [submit(wall), ...failedPolls(0, 16_000, 23_000, 26_000, 27_000).map((made) => ({ ...made, ...wall }))],
      ['fail 1 of 4; The waits before video.poll shrink. #5 #6'],
    ],
    [
      'backs-off',
      'a download that goes on',
      [
        submit(),
        content({ ...lost, status: 200, bytes: 10 }),
        content({ ...lost, status: 200, bytes: 10 }),
        content(),
      ],
      ['not-exercised 0 of 0; no request was retried after 429, 5xx or a broken response'],
    ],
    [
      'backs-off',
      'broken streams',
      [1, 2, 3].map(() => chat({ stream: { chunks: 1, ended: 'error' } })),
      ['pass 0 of 2'],
    ],
    [
      'no-duplicate-submit',
      'a repeat after an accepted submission',
      [submit(), submit(again), poll('queued', again)],
      [
        'fail 1 of 2; The request was submitted again after it was accepted: task task_1 was abandoned for task_2. #1 #2',
      ],
    ],
    [
      'no-duplicate-submit',
      'a repeat after a lost poll',
      [submit(), poll(null, lost), submit(again), poll('queued', again)],
      [
        'fail 1 of 2; The request was submitted again after a poll was lost: task task_1 was abandoned for task_2. #1 #3',
      ],
    ],
    [
      'no-duplicate-submit',
      'a repeat after an abort',
      [submit({ outcome: 'aborted' }), submit(again), poll('queued', again)],
      [
        'fail 1 of 1; The client aborted #1 and submitted the request again, but #1 had created task task_1: task_2 is a second charge. Wait longer for the response to a submission. #1 #2',
      ],
    ],
    [
      'no-duplicate-submit',
      'a repeat after a lost response',
      [submit({ outcome: 'failed', fault: 'reset' }), submit(again), poll('queued', again)],
      [
        'pass 0 of 1; doubtful 1: The response to #1 was lost and the request submitted again: tasks task_1 and task_2 are both charged. #1 #2',
      ],
    ],
    [
      'no-duplicate-submit',
      'a repeat whose tasks are both used',
      [submit(), submit(again), poll('queued', again), poll('queued')],
      ['pass 0 of 2'],
    ],
    [
      'no-duplicate-submit',
      'a repeat before a list',
      [submit(), submit(again), { operation: 'videos.list', method: 'GET' }, poll('queued', again)],
      ['pass 0 of 2'],
    ],
    [
      'ends-tool-loop',
      '51 rounds',
      Array.from({ length: 51 }, (_, index) =>
        chat({ prompt: 'Why?', identity: `${index}`, toolCalls: ['weather'] }),
      ),
      ['fail 1 of 51; chat.complete called weather in round 51 of tool calls for one prompt. #51'],
    ],
    [
      'ends-tool-loop',
      '50 rounds, and then others',
      [
        ...Array.from({ length: 50 }, (_, index) =>
          chat({ prompt: 'Why?', identity: `${index}`, toolCalls: ['weather'] }),
        ),
        chat({ prompt: 'Why?' }),
        chat({ prompt: 'Why?', identity: 'new', toolCalls: ['weather'] }),
      ],
      ['pass 0 of 51'],
    ],
  ])('of %s on %s', (name, _what, exchanges, lines) => {
    expect([lineOf(name, exchanges)]).toEqual(lines)
  })

  it.each<[object, readonly string[]]>([
    [
      { min: '1s' },
      ['fail 1 of 2; Task task_1 was polled again after 500ms of virtual time, expected 1s or more. #2 #3'],
    ],
    [
      { max: '3s' },
      ['fail 1 of 2; Task task_1 was polled again after 5s of virtual time, expected 0s to 3s. #3 #4'],
    ],
    [
      { min: '1m', max: '2m' },
      ['fail 2 of 2; Task task_1 was polled again after 500ms of virtual time, expected 1m to 2m. #2 #3'],
    ],
  ])('of poll-interval names the bounds that are given: %j', (settings, lines) => {
    const polls = [submit(), poll('queued'), poll('queued', { atMs: 500 }), poll('queued', { atMs: 5_500 })]
    expect([lineOf('poll-interval', polls, undefined, settings)]).toEqual(lines)
  })

  it.each<[string, readonly Made[], ClientEnd | undefined, readonly string[]]>([
    [
      'was cut',
      [chat({ stream: { chunks: 3, ended: 'cut' } })],
      'succeeded',
      ['fail 1 of 1; The stream of chat.complete was cut after 3 chunks and was not requested again. #1'],
    ],
    [
      'reported an error',
      [chat({ stream: { chunks: 3, ended: 'error' } })],
      undefined,
      [
        'fail 1 of 1; The stream of chat.complete reported an error after 3 chunks and was not requested again. #1',
      ],
    ],
    [
      'broke off',
      [chat({ stream: { chunks: 3, ended: 'aborted' }, outcome: 'failed' } as Made)],
      'succeeded',
      ['fail 1 of 1; The stream of chat.complete broke off and was not requested again. #1'],
    ],
    ['was cut, and reported', [chat({ stream: { chunks: 3, ended: 'cut' } })], 'failed', ['pass 0 of 1']],
    [
      'was left',
      [chat({ stream: { chunks: 3, ended: 'cut' }, outcome: 'aborted' })],
      'succeeded',
      ['not-exercised 0 of 0; no stream was requested'],
    ],
    [
      'was requested again',
      [chat({ stream: { chunks: 3, ended: 'cut' } }), chat({ stream: { chunks: 9, ended: 'finished' } })],
      'succeeded',
      ['pass 0 of 2'],
    ],
    [
      'was cut three times',
      [1, 2, 3].map(() => chat({ stream: { chunks: 3, ended: 'cut' } })),
      'succeeded',
      ['pass 0 of 3'],
    ],
    [
      'was cut twice',
      [1, 2].map(() => chat({ stream: { chunks: 3, ended: 'cut' } })),
      'succeeded',
      ['fail 1 of 2; The stream of chat.complete was cut after 3 chunks and was not requested again. #2'],
    ],
    [
      'was continued',
      [
        chat({ prompt: 'Why?', stream: { chunks: 3, ended: 'cut' } }),
        chat({ prompt: 'Why?', identity: 'more' }),
      ],
      'succeeded',
      ['pass 0 of 1'],
    ],
    [
      'was followed by another',
      [
        chat({ prompt: 'Why?', stream: { chunks: 3, ended: 'cut' } }),
        chat({ prompt: 'How?', identity: 'more' }),
      ],
      'succeeded',
      ['fail 1 of 1; The stream of chat.complete was cut after 3 chunks and was not requested again. #1'],
    ],
    [
      'was refused',
      [chat({ status: 503, stream: { chunks: 0, ended: 'error' } })],
      'succeeded',
      ['not-exercised 0 of 0; no stream was requested'],
    ],
  ])('of reads-stream-to-end on a stream that %s', (_what, exchanges, end, lines) => {
    expect([lineOf('reads-stream-to-end', exchanges, end)]).toEqual(lines)
  })

  it.each<[string, readonly Made[], ClientEnd | undefined, readonly string[]]>([
    [
      'leaves its task',
      [submit(), poll('queued')],
      'succeeded',
      ['fail 1 of 1; The client left task task_1 before it knew that the task had ended. #1 #2'],
    ],
    [
      'leaves two tasks',
      [submit(), submit(boat)],
      undefined,
      ['fail 2 of 2; The client left task task_1 before it knew that the task had ended. #1'],
    ],
    ['reports a failure', [submit()], 'failed', ['pass 0 of 1']],
    ['polls to the end', [submit(), poll('SUCCESS')], 'succeeded', ['pass 0 of 1']],
    [
      'never gets the end',
      [submit(), poll('SUCCESS', lost)],
      'succeeded',
      ['fail 1 of 1; The client left task task_1 before it knew that the task had ended. #1 #2'],
    ],
    ['downloads the file', [submit(), content()], 'succeeded', ['pass 0 of 1']],
    [
      'downloads a part',
      [submit(), content({ content: 'partial', outcome: 'failed' })],
      'succeeded',
      ['fail 1 of 1; The client left task task_1 before it knew that the task had ended. #1'],
    ],
    [
      'downloads a file of the wrong type',
      [submit(), content({ fault: 'wrong-type' })],
      'succeeded',
      ['pass 0 of 1'],
    ],
    [
      'lists its tasks',
      [submit(), { operation: 'videos.list', method: 'GET' }],
      'succeeded',
      ['pass 0 of 1'],
    ],
    [
      'polls after a list',
      [submit(), { operation: 'videos.list', method: 'GET' }, poll('queued')],
      'succeeded',
      ['fail 1 of 1; The client left task task_1 before it knew that the task had ended. #1 #3'],
    ],
    [
      'never got its task',
      [submit({ outcome: 'failed' })],
      'succeeded',
      ['not-exercised 0 of 0; no task was paid for'],
    ],
    ['pays nothing', [submit({ quota: 0 })], 'succeeded', ['not-exercised 0 of 0; no task was paid for']],
  ])('of no-abandoned-task on a client that %s', (_what, exchanges, end, lines) => {
    expect([lineOf('no-abandoned-task', exchanges, end)]).toEqual(lines)
  })
})

it.each<[Made, boolean]>([
  [{ stream: { chunks: 3, ended: 'finished' }, fault: 'reset' }, true],
  [{ stream: { chunks: 3, ended: 'finished' }, fault: 'wrong-type' }, true],
  [{ stream: { chunks: 3, ended: 'finished' }, fault: 'invalid-json' }, false],
  [{ stream: { chunks: 3, ended: 'cut' }, fault: 'reset' }, false],
  [{ content: 'altered' }, false],
  [{ content: 'partial' }, false],
  [{ outcome: 'failed', content: 'complete' }, false],
  [{}, true],
])('knows whether a response arrived completely: %j', (made, isComplete) => {
  expect(isDelivered(new Story().add(chat(made)))).toBe(isComplete)
})
