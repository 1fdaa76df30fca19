import * as z from 'zod/mini'
import type { InvariantName } from './types.ts'
import { conditionSchemas } from './conditions/index.ts'
import { commandExpectation } from './expect-command-schema.ts'
import { kind, count, durationRange, durationText, name, names } from './expect-values.ts'
import { may, must, named, refusing } from '../schema/fields.ts'
import { apiName, such } from '../schema/known-names.ts'
import { sequenceProblem } from '../schema/sequence-pattern.ts'
import {
  list,
  maxDollars,
  nonNegative,
  operationsSchema,
  positive,
  text,
  wholeNumber,
} from '../schema/values.ts'
import { bodyMatches, rolesSchema, selectsNothing, valueMatch, valueMatches } from './match-schema.ts'

/** Named by the gateway as a whole, or by an API. */
export const invariantName = apiName<InvariantName>('invariants')

const eachOf = (kind: string) => may(z.boolean(), `Whether all selected ${kind} must match.`, true)
const countOf = (kind: string) => may(count, `The number of matching ${kind}, by default one or more.`, 3)

export const expectTasks = z.lazy(() =>
  named(
    'expectTask',
    z.strictObject({
      kind: may(kind, 'Selects tasks of this kind.', 'video'),
      op: may(
        operationsSchema,
        'Selects tasks that this operation created; `*` matches any characters.',
        such.submit,
      ),
      model: may(z.string(), 'Selects tasks with this model; `*` matches any characters.', 'video-hd-*'),
      nth: may(
        positive(),
        'Selects one task by its number among the videos or drawings, in the order of submission, from 1.',
        2,
      ),
      status: may(names, 'The status at the end of the run, or one of several.', such.success),
      reason: may(valueMatch, 'The reason why the task failed.', { contains: 'content policy' }),
      elapsed: may(durationRange, 'The virtual time from the submission to the end.', { max: '4m' }),
      count: countOf('tasks'),
      each: eachOf('tasks'),
    }),
    '`kind`, `op`, `model` and `nth` select tasks; all other keys are conditions. By default, at least one selected task must meet them. `count` requires a number of tasks, and `each` requires all.',
    { kind: 'video', nth: 2, status: such.failure },
  ),
)

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export const statusMatch = z.union([wholeNumber(100, 599), z.enum(statusClasses)])

export const expectRequests = z.lazy(() =>
  named(
    'expectRequest',
    z
      .strictObject({
        op: may(
          operationsSchema,
          'Selects requests of this operation; `*` matches any characters.',
          such.poll,
        ),
        role: may(rolesSchema, 'Selects requests by what their operation does, in every API.', 'poll', [
          'poll',
          'download',
        ]),
        kind: may(kind, 'Selects requests about a task of this kind.', 'video'),
        taskNth: may(
          positive(),
          'Selects requests about one task, by its number among the videos or drawings, from 1.',
          2,
        ),
        model: may(z.string(), 'Selects requests with this model; `*` matches any characters.', 'video-hd-*'),
        nth: may(positive(), 'The number of the request among the selected ones, from 1.', 1),
        status: may(
          z.union([statusMatch, list(statusMatch, 1)]),
          'The status of the response, a class such as `5xx`, or a list of these.',
          429,
          '5xx',
        ),
        ...conditionSchemas,
        stream: may(
          z.strictObject({
            chunks: may(count, 'The number of chunks that were sent.', 8),
            ended: may(z.enum(['finished', 'error', 'cut', 'aborted']), 'How the stream ended.', 'finished'),
          }),
          'The end of a streamed text.',
          { chunks: 8, ended: 'error' },
        ),
        ttfb: may(durationRange, 'The virtual time from the request to the first byte of the response.', {
          max: '4s',
        }),
        body: may(bodyMatches, 'Fields of the request body by path, such as `messages[0].content`.', {
          model: 'video-1',
          prompt: { contains: 'kite' },
        }),
        headers: may(valueMatches, 'Request headers by their names, in upper or lower case.', {
          'user-agent': { glob: '*my-app*' },
        }),
        query: may(valueMatches, 'Query parameters of the request.', { alt: 'sse' }),
        count: countOf('requests'),
        each: eachOf('requests'),
        saw: may(
          list(name, 1),
          'States that the polls of each task must return, in this order. Other states may occur in between.',
          [such.queue, such.work, such.success],
        ),
      })
      .check(refusing(selectsNothing)),
    '`op`, `role`, `kind`, `taskNth`, `model` and `nth` select requests; all other keys are conditions. By default, at least one selected request must meet them. `count` requires a number of requests, and `each` requires all.',
    { op: such.submit, count: 1 },
  ),
)

export const expectWebhooks = z.lazy(() =>
  z.strictObject({
    taskNth: may(
      positive(),
      'Only the reports about one drawing, by its number in the order of submission, from 1.',
      2,
    ),
    state: may(names, 'The reported state of the task, or a list of states.', such.success),
    status: may(
      z.union([statusMatch, list(statusMatch, 1)]),
      'The status of the receiver, a class such as `2xx`, or a list of these. A receiver that does not answer has no status.',
      '2xx',
    ),
    count: countOf('reports'),
  }),
)

const taskNth = may(
  positive(),
  'Only for one task, by its number among the videos or drawings, in the order of submission, from 1.',
  2,
)
const onlyKind = may(kind, 'Only for tasks of this kind.', 'video')

export const artifact = z.lazy(() =>
  z.strictObject({
    kind: must(kind, 'The kind of task.', 'video'),
    taskNth,
    downloaded: must(
      z.enum(['intact', 'any', 'never']),
      '`intact`: at the end, the client has the complete and unaltered bytes. `any`: at least one download succeeded. `never`: there was no download.',
      'intact',
    ),
  }),
)

const sequenceText = text(1, 1_000).check(refusing(sequenceProblem))

export const sequence = z.lazy(() =>
  z.strictObject({
    kind: onlyKind,
    taskNth,
    is: must(
      sequenceText,
      'Operations with `+`, `*`, `?`, `|` and parentheses. Name an operation by its last word, or by `submit`, `poll`, `download` or `any`.',
      'submit poll+ (content | image)?',
    ),
  }),
)

export const quiet = z.lazy(() =>
  z
    .strictObject({
      op: may(operationsSchema, 'The operation that must not occur; `*` matches any characters.', such.poll),
      role: may(rolesSchema, 'What the operation that must not occur does, in every API.', 'poll'),
      kind: onlyKind,
      taskNth,
      after: must(
        durationText,
        'The start of the period: the time since the submission of the task, or for operations without a task since the first request.',
        '15m',
      ),
      for: must(durationText, 'The length of the period.', '5m'),
    })
    .check(refusing(selectsNothing)),
)

export const always = z.lazy(() =>
  z.strictObject({
    name: must(invariantName, 'The invariant.', 'poll-interval'),
    min: may(
      durationText,
      'For `poll-interval`: the shortest wait between two polls of a task. Without `min` and `max`, the interval of the operation counts.',
      '3s',
    ),
    max: may(
      durationText,
      'For `poll-interval`: the longest wait. With `min` alone, any longer wait passes.',
      '10s',
    ),
    optional: may(z.boolean(), 'Whether the invariant may remain not exercised.', true),
  }),
)

export const sometimes = z.lazy(() =>
  z.union([
    z.strictObject({ task: must(expectTasks, 'A task that must occur.', { status: such.failure }) }),
    z.strictObject({
      request: must(expectRequests, 'A request that must occur.', { op: such.poll, status: 503 }),
    }),
    z.strictObject({
      rule: must(name, 'A rule or throttle that must fire.', 'flaky-polls'),
      fired: may(count, 'The number of times that it fires. Default: once or more.', { min: 2 }),
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
      "In a strict run: invariants that can't be judged, for example because the client waits in real time.",
      true,
    ),
    abandonedTasks: may(
      z.boolean(),
      'Tasks that the client abandons before their end, for example because another program continues with them.',
      true,
    ),
    approximated: may(z.boolean(), 'In a strict run: faults that could only be approximated.', true),
  }),
)

export const expectSchema = z.lazy(() =>
  named(
    'expect',
    z.strictObject({
      tasks: may(z.array(expectTasks), 'The states of tasks at the end of the run.', [
        { kind: 'video', count: 1, status: such.success },
      ]),
      requests: may(z.array(expectRequests), 'Requests and their responses.', [
        { op: such.submit, count: 1 },
      ]),
      webhooks: may(
        z.array(expectWebhooks),
        'Reports about tasks, which the simulator posts to the URLs that requests name.',
        [{ state: such.success, status: '2xx', count: 1 }],
      ),
      artifacts: may(
        z.array(artifact),
        'The downloads of tasks that succeeded. One that the client left before it knew that counts only with `taskNth`.',
        [{ kind: 'video', downloaded: 'intact' }],
      ),
      sequence: may(
        z.union([sequenceText, list(sequence, 1)]),
        'The order of operations on every task, or a list of sequences for single tasks or kinds.',
        'submit poll+ content',
      ),
      rules: may(
        z.record(name, z.strictObject({ fired: must(count, 'The number of times that it fired.', 1) })),
        'The number of times that rules and throttles fired. A rule that is not in this list must fire at least once, unless it is `optional`.',
        { 'flaky-polls': { fired: { min: 1 } } },
      ),
      quiet: may(
        z.array(quiet),
        'Periods in which the client must not send certain requests, because it has given up or finished.',
        [{ op: such.poll, taskNth: 2, after: '15m', for: '5m' }],
      ),
      always: may(z.array(z.union([invariantName, always])), 'Invariants that the client must follow.', [
        'auth-on-every-call',
        'no-poll-after-terminal',
      ]),
      sometimes: may(
        z.array(sometimes),
        'What must occur with at least one of several seeds. This proves that the seeds reach the interesting case.',
        [{ rule: 'flaky-polls' }],
      ),
      within: may(
        durationText,
        'The maximum virtual time from the first request to the last response.',
        '30m',
      ),
      spend: may(
        z.strictObject({
          max: must(
            nonNegative(maxDollars),
            'The maximum in dollars, by `prices`. Tasks that failed cost nothing.',
            0.5,
          ),
        }),
        'A limit on the cost of the run.',
        { max: 0.5 },
      ),
      command: may(
        commandExpectation,
        'The end of the command: `passes` with code 0, `fails` with another code, `any`, or a mapping.',
        'fails',
        { exit: 1 },
      ),
      allow: may(allow, 'Findings that do not fail the run.', { notExercised: true }),
    }),
    'The conditions for a run to pass.',
    { tasks: [{ kind: 'video', status: such.success }], always: ['auth-on-every-call'] },
  ),
)
