import * as z from 'zod/mini'
import { invariantNames } from '../invariant-names.ts'
import { expectCommand } from './expect-command-schema.ts'
import { expectRequests, expectTasks } from './expect-parts.ts'
import { channel, count, durationText, name } from './expect-values.ts'
import { may, must, named, refusing } from './fields.ts'
import { sequenceProblem } from '../files/lint/sequence-problem.ts'
import { list, operationsSchema, positive, text } from './values.ts'

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
