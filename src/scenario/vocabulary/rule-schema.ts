import * as z from 'zod/mini'
import { mediaSchema, respondSchema, streamSchema } from './answer-schema.ts'
import { faultName, faultSchema } from '../faults/index.ts'
import { may, must, named } from '../schema/fields.ts'
import { matchSchema, variables, windowSchema } from './match-schema.ts'
import {
  durationSpec,
  identifier,
  list,
  operation,
  percent,
  positive,
  share,
  text,
  wholeNumber,
} from '../schema/values.ts'

const step = z.lazy(() =>
  z.union([
    z.strictObject({
      after: must(durationSpec, 'How long after the submission, or after the wait before it.', '4s'),
      status: may(text(1), 'What the task becomes.', 'IN_PROGRESS'),
      progress: may(percent, 'How much of it is done.', '62%'),
    }),
    z.strictObject({
      waitFor: must(operation, 'The operation that the task waits for.', 'mj.modal'),
      timeout: may(durationSpec, 'How long it waits. Default: for ever.', '5m'),
      reason: may(z.string(), 'Why it fails when nobody comes.', 'the dialog was never confirmed'),
    }),
  ]),
)

export const taskSchema = z.lazy(() =>
  named(
    'task',
    z.strictObject({
      queued: may(
        durationSpec,
        'How long it waits before the work begins; `forever` is stuck.',
        '12s',
        'forever',
      ),
      render: may(durationSpec, 'How long the work takes.', { lognormal: { p50: '90s', p95: '150s' } }),
      outcome: may(z.enum(['success', 'failure']), 'How it ends.', 'failure'),
      failAt: may(share, 'At which share of the work a failure ends it.', '62%'),
      reason: may(z.string(), 'Why it fails.', 'content policy: prompt rejected'),
      expire: may(
        z.strictObject({
          after: must(durationSpec, 'How long after the submission.', '8m'),
          reason: may(z.string(), 'Why.', 'timeout: no worker picked up the task'),
        }),
        'The gateway itself gives the task up, if it has not ended by then.',
        { after: '8m', reason: 'timeout' },
      ),
      timeline: may(
        list(step, 1, 100),
        'What happens instead of all that: states and percentages in their times.',
        [
          { after: '1s', status: 'SUBMITTED' },
          { after: '4s', status: 'IN_PROGRESS', progress: '15%' },
          { after: '12s', status: 'SUCCESS' },
        ],
      ),
      unsafe: may(z.boolean(), 'Whether the timeline may leave the documented order of states.', true),
    }),
    'What happens to the task that the request makes. Drawn once, when it is made.',
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
        respond: may(respondSchema, "An answer in place of the gateway's.", {
          status: 429,
          retryAfter: '10s',
        }),
        fault: may(faultSchema, 'How the answer breaks.', 'reset'),
        delay: may(durationSpec, 'How long the answer waits.', '20s'),
      }),
    ]),
    '`ok`, a status, the name of a fault, or what a rule may do to an answer.',
    429,
    'reset',
    'ok',
  ),
)

export const ruleSchema = z.lazy(() =>
  named(
    'rule',
    z.strictObject({
      id: may(
        identifier,
        'The name of the rule in journal and reports, and the key of its dice. Default: its place, as in `rule-1`.',
        'flaky-polls',
      ),
      optional: may(z.boolean(), 'Whether it may never fire without failing a verdict.', true),
      match: must(matchSchema, 'Which requests it concerns.', { op: 'video.poll' }),
      on: may(
        z.union([positive(), list(positive(), 1)]),
        'Only the so-manieth of the requests it concerns, counted from 1.',
        2,
        [1, 3],
      ),
      every: may(positive(), 'Only each so-manieth of them.', 3),
      times: may(positive(), 'How often it may fire.', 4),
      chance: may(share, 'The likelihood that it fires.', '25%'),
      per: may(
        z.enum(['namespace', 'key', 'task']),
        'What `on`, `every` and `times` count for. Default `namespace`; of `attempts`, each thing that is tried.',
        'task',
      ),
      when: may(windowSchema, 'Only at this time, or while variables have these values.', {
        clock: '30s..55s',
      }),
      continue: may(z.boolean(), 'Whether rules behind it may add what it leaves open.', true),
      set: may(variables, 'Variables of the namespace that it sets; null takes one away.', {
        mode: 'degraded',
      }),
      attempts: may(
        list(attemptSchema, 1, 1_000),
        'What becomes of the first, the second … attempt at the same thing; from then on, all is well.',
        [429, 503, 'reset', 'ok'],
      ),
      respond: may(respondSchema, "An answer in place of the gateway's.", { status: 503 }),
      task: may(taskSchema, 'What happens to the task that the request makes.', { queued: 'forever' }),
      delay: may(durationSpec, 'How long the answer waits, after it was decided.', {
        uniform: ['300ms', '900ms'],
      }),
      stream: may(streamSchema, 'How a streamed text comes.', { gap: '60ms' }),
      media: may(mediaSchema, "Other bytes than the task's own.", { seconds: 4 }),
      fault: may(faultSchema, 'How the answer breaks.', 'reset', { type: 'truncate', at: '40%' }),
    }),
    'One line of the script: which requests it concerns, which of them it picks, and what happens to those.',
    { id: 'flaky-polls', match: { op: 'video.poll' }, attempts: [503, 'reset', 'ok'] },
  ),
)
