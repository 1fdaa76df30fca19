import * as z from 'zod/mini'
import { channel, count, durationRange, durationText, name, names } from './expect-values.ts'
import { may, must, named, orField, refusing } from '../schema/fields.ts'
import { sequenceProblem } from '../schema/sequence-pattern.ts'
import { list, nonNegative, operationsSchema, positive, text, wholeNumber } from '../schema/values.ts'
import { patternProblem } from '../schema/patterns.ts'
import { faultTypes } from '../faults/index.ts'
import { invariantNames } from './invariant-names.ts'
import { bodyMatches, valueMatch, valueMatches } from './match-schema.ts'

export const invariantName = z.enum(invariantNames)

const each = may(z.boolean(), 'Whether all of them must match.', true)
const howMany = may(count, 'The number that must match. Default: at least one.', 3)

export const expectTasks = z.lazy(() =>
  named(
    'expectTask',
    z.strictObject({
      channel: may(channel, 'Selects by kind.', 'video'),
      op: may(
        operationsSchema,
        'Selects by the operation that created the task; `*` matches several.',
        'mj.imagine',
      ),
      model: may(
        z.string(),
        'Selects by the requested model; `*` stands for any run of characters.',
        'video-hd-*',
      ),
      nth: may(positive(), 'Selects by number in its channel, in the order of submission, from 1.', 2),
      status: may(names, 'The status at the end of the run, or one of several.', 'SUCCESS'),
      reason: may(valueMatch, 'Why the task failed.', { contains: 'content policy' }),
      elapsed: may(durationRange, 'Virtual time from submission to end.', { max: '4m' }),
      count: howMany,
      each,
    }),
    '`channel`, `op`, `model` and `nth` select tasks; all other keys must match. At least one selected task must match; with `count`, that number; with `each`, all; with `nth`, that one.',
    { channel: 'video', nth: 2, status: 'FAILURE' },
  ),
)

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export const statusMatch = z.union([wholeNumber(100, 599), z.enum(statusClasses)])

export const expectRequests = z.lazy(() =>
  named(
    'expectRequest',
    z.strictObject({
      op: must(operationsSchema, 'Selects by operation; `*` matches several.', 'video.poll'),
      channel: may(channel, 'Selects requests about a task of this kind.', 'video'),
      taskNth: may(
        positive(),
        'Selects requests about this task: its number in its channel, in the order of submission, from 1.',
        2,
      ),
      model: may(z.string(), 'Selects by model; `*` stands for any run of characters.', 'video-hd-*'),
      nth: may(positive(), 'The number of the request among the selected ones, from 1.', 1),
      status: may(
        z.union([statusMatch, list(statusMatch, 1)]),
        'The status of the response, a class of statuses, or one of several.',
        429,
        '5xx',
      ),
      outcome: may(
        z.enum(['completed', 'aborted', 'failed']),
        'Whether the response was sent completely, the client left before, or the bytes could not be made.',
        'aborted',
      ),
      content: may(
        z.enum(['complete', 'partial', 'altered']),
        'Whether the body of the response arrived complete.',
        'complete',
      ),
      stream: may(
        z.strictObject({
          chunks: may(count, 'The number of chunks sent.', 8),
          ended: may(z.enum(['finished', 'error', 'cut', 'aborted']), 'How the stream ended.', 'finished'),
        }),
        'What became of a streamed text.',
        { chunks: 8, ended: 'error' },
      ),
      ttfb: may(durationRange, 'Virtual time from admission to the first byte of the response.', {
        max: '4s',
      }),
      body: may(bodyMatches, 'Fields of the request body by path, such as `messages[0].content`.', {
        model: 'video-1',
        prompt: { contains: 'kite' },
      }),
      headers: may(valueMatches, 'Request headers by name, in any case.', {
        'user-agent': { glob: '*my-app*' },
      }),
      query: may(valueMatches, 'Query parameters by name.', { alt: 'sse' }),
      rule: may(name, 'The rule or throttle that fired.', 'flaky-polls'),
      fault: may(z.enum(faultTypes), 'The injected fault.', 'truncate'),
      count: howMany,
      each,
      saw: may(
        list(name, 1),
        'States that the polls of each task must have returned, in this order; others may occur in between.',
        ['queued', 'IN_PROGRESS', 'SUCCESS'],
      ),
    }),
    '`op`, `channel`, `taskNth` and `model` select requests; all other keys must match. At least one selected request must match; with `count`, that number; with `each`, all; with `nth`, that one.',
    { op: 'video.submit', count: 1 },
  ),
)

export const expectWebhooks = z.lazy(() =>
  z.strictObject({
    taskNth: may(positive(), 'Only those of this drawing: its number in the order of submission, from 1.', 2),
    state: may(names, 'The state of the task that they report, or one of several.', 'SUCCESS'),
    status: may(
      z.union([statusMatch, list(statusMatch, 1)]),
      'How the receiver answers: a status, a class, or one of several. Without an answer, none fits.',
      '2xx',
    ),
    count: howMany,
  }),
)

const stdout = z.lazy(() =>
  z
    .strictObject({
      contains: may(text(1), 'A substring.', 'task failed'),
      matches: may(
        text(1, 200).check(refusing((source) => patternProblem(source))),
        'A regular expression to find in one of the lines, without look-around and back-references.',
        '^failed: .+$',
      ),
    })
    .check(
      refusing(({ contains, matches }) =>
        contains === undefined && matches === undefined
          ? 'it expects nothing. Write contains or matches'
          : undefined,
      ),
    ),
)

const file = z.lazy(() =>
  z
    .strictObject({
      path: must(
        text(1, 1_000),
        'Relative to the working folder, or else to the folder of the scenario. It must lie inside one of them.',
        'out/video.mp4',
      ),
      sha256: may(
        z.string().check(z.regex(/^[0-9a-fA-F]{64}$/, 'write 64 hexadecimal digits')),
        'The SHA-256 of its bytes, in hexadecimal.',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ),
      equals: may(text(0, 1_000_000), 'Its text.', 'done'),
    })
    .check(
      refusing(({ sha256, equals }) =>
        sha256 !== undefined && equals !== undefined
          ? 'sha256 and equals both describe the content. Leave one out'
          : undefined,
      ),
    ),
)

const commandEnd = z.enum(['passes', 'fails', 'any'])

export const expectCommand = z.lazy(() =>
  named(
    'expectCommand',
    z
      .strictObject({
        exit: may(
          z.union([wholeNumber(0, 255), z.enum(['nonzero', 'any'])]),
          'The exit code; `nonzero` is any code except 0, and no signal; `any` is any end. Default: 0.',
          1,
          'nonzero',
          'any',
        ),
        stdout: may(stdout, 'The text that the command writes to standard output.', {
          contains: 'task failed',
        }),
        file: may(file, 'A file that the command must write during the run.', { path: 'out/video.mp4' }),
      })
      .check(
        refusing((command) =>
          Object.keys(command).length === 0 ? 'it expects nothing. Write exit, stdout or file' : undefined,
        ),
      ),
    'The end of the command after `--` in `greenroom run`: its exit code, its output, and a file that it writes.',
    { exit: 'nonzero', stdout: { contains: 'task failed' } },
  ),
)

const taskNth = may(
  positive(),
  'Only for this task: its number in its channel, in the order of submission, from 1.',
  2,
)
const onlyChannel = may(channel, 'Only for tasks of this kind.', 'video')

export const artifact = z.lazy(() =>
  z.strictObject({
    channel: must(channel, 'The kind of task.', 'video'),
    taskNth,
    downloaded: must(
      z.enum(['intact', 'any', 'never']),
      '`intact`: complete and unaltered by the end; `any`: at least one successful download; `never`: none.',
      'intact',
    ),
  }),
)

const sequenceText = text(1, 1_000).check(refusing(sequenceProblem))

export const sequence = z.lazy(() =>
  z.strictObject({
    channel: onlyChannel,
    taskNth,
    is: must(
      sequenceText,
      'Words with `+`, `*`, `?`, `|` and parentheses. A word is the last part of an operation, or submit, poll, download, any.',
      'submit poll+ (content | image)?',
    ),
  }),
)

export const quiet = z.lazy(() =>
  z.strictObject({
    op: must(operationsSchema, 'The operation; `*` matches several.', 'video.poll'),
    channel: onlyChannel,
    taskNth,
    after: must(
      durationText,
      'The start, since the submission of the task; for operations without a task, since the first request.',
      '15m',
    ),
    for: must(durationText, 'The length of the period.', '5m'),
  }),
)

export const always = z.lazy(() =>
  z.strictObject({
    name: must(invariantName, 'The invariant.', 'poll-interval'),
    min: may(
      durationText,
      'For `poll-interval`: the shortest wait between two polls of a task. Default 5s.',
      '3s',
    ),
    max: may(durationText, 'For `poll-interval`: the longest. Default 10s.', '10s'),
    optional: may(z.boolean(), 'Whether it may remain not exercised.', true),
  }),
)

export const sometimes = z.lazy(() =>
  z.union([
    z.strictObject({ task: must(expectTasks, 'Such a task.', { status: 'FAILURE' }) }),
    z.strictObject({
      request: must(expectRequests, 'Such a request.', { op: 'video.poll', status: 503 }),
    }),
    z.strictObject({
      rule: must(name, 'The rule or throttle that fires.', 'flaky-polls'),
      fired: may(count, 'The number of times. Default: at least once.', { min: 2 }),
    }),
  ]),
)

export const allow = z.lazy(() =>
  z.strictObject({
    unmatched: may(z.boolean(), 'Requests that match no operation.', true),
    unusedRules: may(z.boolean(), 'Rules that never fired.', true),
    notExercised: may(z.boolean(), 'Expectations that no request, task or fault exercised.', true),
    notApplicable: may(
      z.boolean(),
      "In a strict run: invariants that can't be judged, such as waits that the clock does not show.",
      true,
    ),
    abandonedTasks: may(
      z.boolean(),
      'Tasks that the client leaves before they have ended, such as one that hands them over to another program.',
      true,
    ),
    approximated: may(z.boolean(), 'In a strict run: faults that were only approximated.', true),
  }),
)

export const expectSchema = z.lazy(() =>
  named(
    'expect',
    z.strictObject({
      tasks: may(z.array(expectTasks), 'The states of tasks at the end of the run.', [
        { channel: 'video', count: 1, status: 'SUCCESS' },
      ]),
      requests: may(z.array(expectRequests), 'Requests and their responses.', [
        { op: 'video.submit', count: 1 },
      ]),
      webhooks: may(z.array(expectWebhooks), 'Reports to the `notifyHook` of drawings.', [
        { state: 'SUCCESS', status: '2xx', count: 1 },
      ]),
      artifacts: may(z.array(artifact), 'What the client must have downloaded of tasks that succeeded.', [
        { channel: 'video', downloaded: 'intact' },
      ]),
      sequence: may(
        z.union([sequenceText, list(sequence, 1)]),
        'The operations of every task, in order; or a list of sequences by channel.',
        'submit poll+ content',
      ),
      rules: may(
        z.record(name, z.strictObject({ fired: must(count, 'The number of times it fired.', 1) })),
        'How often rules and throttles fired. Those that are not listed must fire at least once, unless `optional`.',
        { 'flaky-polls': { fired: { min: 1 } } },
      ),
      quiet: may(z.array(quiet), 'Periods without such requests: the client has given up or finished.', [
        { op: 'video.poll', taskNth: 2, after: '15m', for: '5m' },
      ]),
      always: may(
        z.array(z.union([invariantName, always])),
        'Invariants, which are checked on every request.',
        ['auth-on-every-call', 'no-poll-after-terminal'],
      ),
      sometimes: may(
        z.array(sometimes),
        'What at least one of several seeds must show: proof that they reach the interesting case.',
        [{ rule: 'flaky-polls' }],
      ),
      within: may(
        durationText,
        'The maximum virtual time from the first request to the last response.',
        '30m',
      ),
      spend: may(
        z.strictObject({
          max: must(nonNegative(), 'In dollars, as `prices` are. Tasks that failed cost nothing.', 0.5),
        }),
        'What the run may cost.',
        { max: 0.5 },
      ),
      command: may(
        orField(commandEnd, expectCommand),
        'How the command of `greenroom run` ends: `passes` with code 0, `fails` with another, or `any`; or its exit code, its output, and a file that it writes.',
        'fails',
        { exit: 1 },
      ),
      allow: may(allow, 'What does not fail the run.', { notExercised: true }),
    }),
    'What must be true of a run for it to pass.',
    { tasks: [{ channel: 'video', status: 'SUCCESS' }], always: ['auth-on-every-call'] },
  ),
)
