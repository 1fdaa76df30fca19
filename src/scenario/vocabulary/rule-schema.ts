import * as z from 'zod/mini'
import { mediaSchema, respondSchema, streamSchema } from './answer-schema.ts'
import { scriptedAnswer } from './config-schema-text.ts'
import { faultName, faultSchema } from '../faults/index.ts'
import { may, must, named } from '../schema/fields.ts'
import { such } from '../schema/known-names.ts'
import { matchSchema, variables, windowSchema } from './match-schema.ts'
import {
  durationSpec,
  identifier,
  list,
  operation,
  percent,
  plainText,
  positive,
  share,
  text,
  wholeNumber,
} from '../schema/values.ts'

const step = z.lazy(() =>
  z.union([
    z.strictObject({
      after: must(
        durationSpec,
        'The time since the submission, or since the end of the wait before it.',
        '4s',
      ),
      status: may(text(1), 'The new status.', such.work),
      progress: may(percent, 'The progress.', '62%'),
    }),
    z.strictObject({
      waitFor: must(operation, 'The operation that the task waits for.', such.confirm),
      timeout: may(durationSpec, 'The longest wait. Default: no end.', '5m'),
      reason: may(
        plainText,
        'The reason of the failure after the longest wait.',
        'the dialog was never confirmed',
      ),
    }),
  ]),
)

export const taskSchema = z.lazy(() =>
  named(
    'task',
    z.strictObject({
      queued: may(durationSpec, 'The time in the queue; with `forever` the task is stuck.', '12s', 'forever'),
      render: may(durationSpec, 'The render time.', { lognormal: { p50: '90s', p95: '150s' } }),
      outcome: may(
        z.union([z.enum(['success', 'failure', 'cancelled']), plainText]),
        'How the task ends: `success`, `failure`, `cancelled` (by someone else), or a final state of its API. Default: drawn by the weights of the lifecycle.',
        'failure',
      ),
      failAt: may(share, 'The share of the render time after which the task fails.', '62%'),
      reason: may(plainText, 'The reason of a failure.', 'content policy: prompt rejected'),
      expire: may(
        z.strictObject({
          after: must(durationSpec, 'The age of the task at which the gateway gives up.', '8m'),
          reason: may(plainText, 'The reason of this failure.', 'timeout: no worker picked up the task'),
        }),
        'The gateway gives up a task that has not ended by then.',
        { after: '8m', reason: 'timeout' },
      ),
      timeline: may(list(step, 1, 100), 'States and progress by time, instead of all the keys above.', [
        { after: '1s', status: such.work },
        { after: '4s', status: such.work, progress: '15%' },
        { after: '12s', status: such.success },
      ]),
      sameIdAs: may(
        positive(),
        'The number of an earlier task of the same kind. The response contains the ID of that task.',
        1,
      ),
    }),
    'The future of the task that a submission creates. It is drawn once, at the submission.',
    { queued: '5s', render: '40s', outcome: 'failure' },
  ),
)

export const attemptSchema = z.lazy(() =>
  named(
    'attempt',
    z.union([
      z.literal('ok'),
      wholeNumber(200, 599),
      faultName,
      z.strictObject({
        respond: may(respondSchema, 'The response.', {
          status: 429,
          retryAfter: '10s',
        }),
        fault: may(faultSchema, 'The fault of the response.', 'reset'),
        delay: may(durationSpec, 'The delay of this response.', '20s'),
      }),
    ]),
    'The outcome of one attempt: `ok`, a status, the name of a fault, or a mapping.',
    429,
    'reset',
    'ok',
  ),
)

/** The maximum number of rules. */
export const maxRules = 1_000

export const ruleSchema = z.lazy(() =>
  named(
    'rule',
    z.strictObject({
      id: may(
        identifier,
        'The name of the rule in journal and reports. Its random draws depend on the name. Default: its place in the list, as in `rule-1`.',
        'flaky-polls',
      ),
      optional: may(z.boolean(), 'Whether the run may pass if the rule never fires.', true),
      match: must(matchSchema, 'The requests to which the rule applies.', { op: such.poll }),
      on: may(
        z.union([positive(), list(positive(), 1)]),
        'The number of the matching request for which the rule fires, from 1; or a list of numbers.',
        2,
        [1, 3],
      ),
      from: may(
        positive(),
        'The number of the first matching request for which the rule fires. It also fires for all later ones.',
        3,
      ),
      every: may(positive(), 'The rule fires for every nth matching request.', 3),
      times: may(positive(), 'The maximum number of times that the rule fires.', 4),
      chance: may(share, 'The probability that the rule fires: 0 to 1, or a percentage.', '25%'),
      per: may(
        z.enum(['namespace', 'key', 'task']),
        'The scope in which `on`, `from`, `every` and `times` count. Default `namespace`; for `attempts`, each operation on each task.',
        'task',
      ),
      when: may(windowSchema, 'When the rule is active: a time, values of variables, or both.', {
        clock: '30s..55s',
      }),
      continue: may(z.boolean(), 'Whether later rules may add effects that this rule does not have.', true),
      set: may(
        variables,
        'Variables of the namespace that the rule sets or counts. `null` removes a variable.',
        { mode: 'degraded' },
        {
          refusals: { add: 1 },
        },
      ),
      attempts: may(
        list(attemptSchema, 1, 1_000),
        'The outcomes of the first, second, … attempt at the same request. Later attempts succeed.',
        [429, 503, 'reset', 'ok'],
      ),
      respond: may(respondSchema, 'The response.', { status: 503 }),
      task: may(taskSchema, 'The future of the task.', { queued: 'forever' }),
      delay: may(durationSpec, 'The delay of the response on the clock.', {
        uniform: ['300ms', '900ms'],
      }),
      answer: may(scriptedAnswer, 'The answer of the model.', { text: 'Paris.' }),
      stream: may(streamSchema, 'The pace and the breaks of a streamed text.', { gap: '60ms' }),
      media: may(mediaSchema, 'The bytes of a download.', { seconds: 4 }),
      fault: may(faultSchema, 'The fault of the response.', 'reset', { type: 'truncate', at: '40%' }),
    }),
    'A rule selects requests, counts them, and changes the outcome of some of them.',
    { id: 'flaky-polls', match: { op: such.poll }, attempts: [503, 'reset', 'ok'] },
  ),
)
