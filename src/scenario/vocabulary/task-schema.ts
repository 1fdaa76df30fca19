import { z } from 'zod'
import { may, must, named } from './fields.ts'
import { durationSpec, operation, percent, share } from './values.ts'

const step = z.union([
  z.strictObject({
    after: must(durationSpec, 'How long after the submission, or after the wait before it.', '4s'),
    status: may(z.string().min(1), 'What the task becomes.', 'IN_PROGRESS'),
    progress: may(percent, 'How much of it is done.', '62%'),
  }),
  z.strictObject({
    waitFor: must(operation, 'The operation that the task waits for.', 'mj.modal'),
    timeout: may(durationSpec, 'How long it waits. Default: for ever.', '5m'),
    reason: may(z.string(), 'Why it fails when nobody comes.', 'the dialog was never confirmed'),
  }),
])

export const taskSchema = named(
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
      z.array(step).min(1).max(100),
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
)
