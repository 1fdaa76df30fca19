import * as z from 'zod/mini'
import { invariantNames } from '../invariant-names.ts'
import { channel, count, durationRange, durationText, name, names } from './expect-values.ts'
import { may, must, named, refusing } from '../schema/fields.ts'
import { sequenceProblem } from '../files/lint/sequence-problem.ts'
import { list, operationsSchema, positive, text, wholeNumber } from '../schema/values.ts'
import { patternProblem } from '../schema/patterns.ts'
import { faultTypes } from '../faults/index.ts'
import { bodyMatches, valueMatch, valueMatches } from './match-schema.ts'

const each = may(z.boolean(), 'Whether it must be true of all of them.', true)
const howMany = may(count, 'How many there must be. Default: at least one.', 3)

const expectTasks = z.lazy(() =>
  named(
    'expectTask',
    z.strictObject({
      channel: may(channel, 'Which: of this surface.', 'video'),
      op: may(operationsSchema, 'Which: made by this operation, or by several by `*`.', 'mj.imagine'),
      model: may(z.string(), 'Which: of this model; `*` stands for any text.', 'video-hd-*'),
      nth: may(positive(), 'Which: the so-manieth of its channel in the order of submission, from 1.', 2),
      status: may(names, 'The state in which it is at the end of the run, or one of several.', 'SUCCESS'),
      reason: may(valueMatch, 'Why it failed.', { contains: 'content policy' }),
      elapsed: may(durationRange, 'From its submission to its end, in virtual time.', { max: '4m' }),
      count: howMany,
      each,
    }),
    'Which tasks, and what must be true of them.',
    { channel: 'video', nth: 2, status: 'FAILURE' },
  ),
)

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const statusMatch = z.union([wholeNumber(100, 599), z.enum(statusClasses)])

const expectRequests = z.lazy(() =>
  named(
    'expectRequest',
    z.strictObject({
      op: must(operationsSchema, 'Which: of this operation, or of several by `*`.', 'video.poll'),
      channel: may(channel, 'Which: that concern a task of this surface.', 'video'),
      taskNth: may(
        positive(),
        'Which: that concern the so-manieth task of its channel in the order of submission, from 1.',
        2,
      ),
      model: may(z.string(), 'Which: for this model; `*` stands for any text.', 'video-hd-*'),
      nth: may(positive(), 'Which: the so-manieth of them, from 1.', 1),
      status: may(
        z.union([statusMatch, list(statusMatch, 1)]),
        'The status of the answer, a class of them, or one of several.',
        429,
        '5xx',
      ),
      outcome: may(
        z.enum(['completed', 'aborted', 'failed']),
        'Whether the answer was handed over whole, or the client left before, or its bytes could not be made.',
        'aborted',
      ),
      content: may(
        z.enum(['complete', 'partial', 'altered']),
        'What arrived of the bytes of the answer.',
        'complete',
      ),
      stream: may(
        z.strictObject({
          chunks: may(count, 'How many chunks were handed over.', 8),
          ended: may(z.enum(['finished', 'error', 'cut', 'aborted']), 'How it ended.', 'finished'),
        }),
        'How a streamed text went.',
        { chunks: 8, ended: 'error' },
      ),
      ttfb: may(durationRange, 'From admission to the first byte of the answer, in virtual time.', {
        max: '4s',
      }),
      body: may(bodyMatches, 'Fields of the body that the client sent, by their paths.', {
        model: 'video-1',
        prompt: { contains: 'kite' },
      }),
      headers: may(valueMatches, 'Headers that the client sent.', { 'user-agent': { glob: '*my-app*' } }),
      query: may(valueMatches, 'Parameters of the query that the client sent.', { alt: 'sse' }),
      rule: may(name, 'The rule or throttle that fired.', 'flaky-polls'),
      fault: may(z.enum(faultTypes), 'How the answer was broken.', 'truncate'),
      count: howMany,
      each,
      saw: may(
        list(name, 1),
        'The states that each of the tasks must have been shown by these requests, in this order; others may lie between.',
        ['queued', 'IN_PROGRESS', 'SUCCESS'],
      ),
    }),
    'Which requests, and what must be true of them.',
    { op: 'video.submit', count: 1 },
  ),
)

const stdout = z.lazy(() =>
  z
    .strictObject({
      contains: may(text(1), 'A part of the text.', 'task failed'),
      matches: may(
        text(1, 200).check(refusing((source) => patternProblem(source))),
        'A regular expression that is found in one of the lines, without look-around and back-references.',
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

const expectCommand = z.lazy(() =>
  named(
    'expectCommand',
    z
      .strictObject({
        exit: may(
          z.union([wholeNumber(0, 255), z.literal('nonzero')]),
          'The exit code; `nonzero` is any code except 0, and no signal. Default: 0.',
          1,
          'nonzero',
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
  'Only of the so-manieth task of its channel in the order of submission, from 1.',
  2,
)
const onlyChannel = may(channel, 'Only of this surface.', 'video')

const artifact = z.lazy(() =>
  z.strictObject({
    channel: must(channel, 'Of which surface.', 'video'),
    taskNth,
    downloaded: must(
      z.enum(['intact', 'any', 'never']),
      '`intact`: whole and unaltered in the end; `any`: asked for at least once with success; `never`: not at all.',
      'intact',
    ),
  }),
)

const sequenceText = text(1, 1_000).check(refusing(sequenceProblem))

const sequence = z.lazy(() =>
  z.strictObject({
    channel: onlyChannel,
    taskNth,
    is: must(
      sequenceText,
      'Words with `+`, `*`, `?`, `|` and brackets. A word is the last part of an operation, or submit, poll, download, any.',
      'submit poll+ (content | image)?',
    ),
  }),
)

const quiet = z.lazy(() =>
  z.strictObject({
    op: must(operationsSchema, 'Which requests.', 'video.poll'),
    channel: onlyChannel,
    taskNth,
    after: must(durationText, "Since the task's submission; without a task, since the first request.", '15m'),
    for: must(durationText, 'For how long.', '5m'),
  }),
)

const always = z.lazy(() =>
  z.strictObject({
    name: must(z.enum(invariantNames), 'Which invariant.', 'poll-interval'),
    min: may(
      durationText,
      'For `poll-interval`: the shortest wait between two polls of a task. Default 5s.',
      '3s',
    ),
    max: may(durationText, 'For `poll-interval`: the longest. Default 10s.', '10s'),
    optional: may(z.boolean(), 'Whether it may go untested.', true),
  }),
)

const sometimes = z.lazy(() =>
  z.union([
    z.strictObject({ task: must(expectTasks, 'A task like that.', { status: 'FAILURE' }) }),
    z.strictObject({
      request: must(expectRequests, 'A request like that.', { op: 'video.poll', status: 503 }),
    }),
    z.strictObject({
      rule: must(name, 'The rule or throttle that fires.', 'flaky-polls'),
      fired: may(count, 'How often. Default: at least once.', { min: 2 }),
    }),
  ]),
)

const allow = z.lazy(() =>
  z.strictObject({
    unmatched: may(z.boolean(), 'Requests that no operation answers.', true),
    unusedRules: may(z.boolean(), 'Rules that never fired.', true),
    notExercised: may(z.boolean(), 'Expectations that no request, task or fault exercised.', true),
    notApplicable: may(
      z.boolean(),
      "In a strict run: invariants that can't be judged, such as waits that nobody sees.",
      true,
    ),
    approximated: may(z.boolean(), 'In a strict run: faults that were only approximated.', true),
  }),
)

export const expectSchema = z.lazy(() =>
  named(
    'expect',
    z.strictObject({
      tasks: may(z.array(expectTasks), 'What tasks there must be, and what must be true of them.', [
        { channel: 'video', count: 1, status: 'SUCCESS' },
      ]),
      requests: may(z.array(expectRequests), 'What requests there must be, and what must be true of them.', [
        { op: 'video.submit', count: 1 },
      ]),
      artifacts: may(z.array(artifact), 'What the client must have of the bytes of tasks that succeeded.', [
        { channel: 'video', downloaded: 'intact' },
      ]),
      sequence: may(
        z.union([sequenceText, list(sequence, 1)]),
        'The operations of every task in their order; or different ones by channel.',
        'submit poll+ content',
      ),
      rules: may(
        z.record(name, z.strictObject({ fired: must(count, 'How often it fired.', 1) })),
        'How often rules and throttles fired. Those that are not listed must fire at least once, unless `optional`.',
        { 'flaky-polls': { fired: { min: 1 } } },
      ),
      quiet: may(z.array(quiet), 'Where no such request may come for a while: the client has given up.', [
        { op: 'video.poll', taskNth: 2, after: '15m', for: '5m' },
      ]),
      always: may(
        z.array(z.union([z.enum(invariantNames), always])),
        'What a good client never breaks, watched on every request.',
        ['auth-on-every-call', 'no-poll-after-terminal'],
      ),
      sometimes: may(z.array(sometimes), 'What at least one of several seeds must show.', [
        { rule: 'flaky-polls' },
      ]),
      within: may(
        durationText,
        'How long after the first request the last answer may end, in virtual time.',
        '30m',
      ),
      command: may(expectCommand, 'How the command of `greenroom run` must end.', { exit: 1 }),
      allow: may(allow, 'What does not fail the run, though it does by default.', { notExercised: true }),
    }),
    'What must be true of a run for it to pass.',
    { tasks: [{ channel: 'video', status: 'SUCCESS' }], always: ['auth-on-every-call'] },
  ),
)
