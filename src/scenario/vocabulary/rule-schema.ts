import * as z from 'zod/mini'
import { mediaSchema, respondSchema, streamSchema } from './answer-schema.ts'
import { scriptedAnswer } from './config-schema-text.ts'
import { faultName, faultSchema } from '../faults/index.ts'
import { may, must, named } from '../schema/fields.ts'
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
      after: must(durationSpec, 'The time since the submission, or since the wait before it.', '4s'),
      status: may(text(1), 'The new status.', 'IN_PROGRESS'),
      progress: may(percent, 'The progress.', '62%'),
    }),
    z.strictObject({
      waitFor: must(operation, 'The operation that the task waits for.', 'mj.modal'),
      timeout: may(durationSpec, 'The longest wait. Default: no end.', '5m'),
      reason: may(plainText, 'The reason of the failure after that.', 'the dialog was never confirmed'),
    }),
  ]),
)

export const taskSchema = z.lazy(() =>
  named(
    'task',
    z.strictObject({
      queued: may(durationSpec, 'The time in the queue; `forever` is stuck.', '12s', 'forever'),
      render: may(durationSpec, 'The render time.', { lognormal: { p50: '90s', p95: '150s' } }),
      outcome: may(
        z.enum(['success', 'failure']),
        'The outcome. Default: drawn by the weights of the lifecycle.',
        'failure',
      ),
      failAt: may(share, 'The share of the render time after which it fails.', '62%'),
      reason: may(plainText, 'The reason of a failure.', 'content policy: prompt rejected'),
      expire: may(
        z.strictObject({
          after: must(durationSpec, 'The time since the submission.', '8m'),
          reason: may(plainText, 'The reason.', 'timeout: no worker picked up the task'),
        }),
        'When the gateway gives the task up, if it has not ended.',
        { after: '8m', reason: 'timeout' },
      ),
      timeline: may(list(step, 1, 100), 'States and progress by time, in place of all that.', [
        { after: '1s', status: 'SUBMITTED' },
        { after: '4s', status: 'IN_PROGRESS', progress: '15%' },
        { after: '12s', status: 'SUCCESS' },
      ]),
      unsafe: may(z.boolean(), 'Whether the timeline may leave the documented order of states.', true),
      sameIdAs: may(
        positive(),
        'The number of an earlier task of its kind, whose ID the response has instead of its own.',
        1,
      ),
    }),
    'What happens to the task that the request creates. Drawn once, at its submission.',
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
        respond: may(respondSchema, "A response in place of the gateway's.", {
          status: 429,
          retryAfter: '10s',
        }),
        fault: may(faultSchema, 'How the response breaks.', 'reset'),
        delay: may(durationSpec, 'The delay of the response.', '20s'),
      }),
    ]),
    '`ok`, a status, the name of a fault, or what a rule may do to a response.',
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
        'Its name in journal and reports, and the key of its random draws. Default: its place in the list, as in `rule-1`.',
        'flaky-polls',
      ),
      optional: may(z.boolean(), 'Whether the run may pass although it never fired.', true),
      match: must(matchSchema, 'Which requests it concerns.', { op: 'video.poll' }),
      on: may(
        z.union([positive(), list(positive(), 1)]),
        'Only matching requests with this number, from 1; or one of several.',
        2,
        [1, 3],
      ),
      from: may(
        positive(),
        'Only the matching request with this number and all later ones. With `per: task`, of each task.',
        3,
      ),
      every: may(positive(), 'Only every nth matching request.', 3),
      times: may(positive(), 'The maximum number of times it fires.', 4),
      chance: may(share, 'The probability that it fires: 0 to 1, or a percentage.', '25%'),
      per: may(
        z.enum(['namespace', 'key', 'task']),
        'What `on`, `from`, `every` and `times` count for. Default `namespace`; for `attempts`, each operation on each subject.',
        'task',
      ),
      when: may(windowSchema, 'Only at this time, or while variables have these values.', {
        clock: '30s..55s',
      }),
      continue: may(z.boolean(), 'Whether later rules may add what it leaves open.', true),
      set: may(
        variables,
        'Variables of the namespace that it sets or counts; null removes one.',
        { mode: 'degraded' },
        {
          refusals: { add: 1 },
        },
      ),
      attempts: may(
        list(attemptSchema, 1, 1_000),
        'What happens to the first, second … attempt at the same thing; later attempts succeed.',
        [429, 503, 'reset', 'ok'],
      ),
      respond: may(respondSchema, "A response in place of the gateway's.", { status: 503 }),
      task: may(taskSchema, 'What happens to the task that the request creates.', { queued: 'forever' }),
      delay: may(durationSpec, 'The delay of the response, on the clock.', {
        uniform: ['300ms', '900ms'],
      }),
      answer: may(scriptedAnswer, 'What the model answers, word for word.', { text: 'Paris.' }),
      stream: may(streamSchema, 'How a streamed text is sent.', { gap: '60ms' }),
      media: may(mediaSchema, "Other bytes than the task's own.", { seconds: 4 }),
      fault: may(faultSchema, 'How the response breaks.', 'reset', { type: 'truncate', at: '40%' }),
    }),
    'One line of the script: which requests it matches, which of those it picks, and what happens to them.',
    { id: 'flaky-polls', match: { op: 'video.poll' }, attempts: [503, 'reset', 'ok'] },
  ),
)
