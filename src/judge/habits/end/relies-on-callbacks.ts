import { callbackFamily } from '../callbacks.ts'
import { survives } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

export const reliesOnCallbacks: Habit = {
  name: 'relies-on-callbacks',
  severity: ({ run }) => (run.ended === 'failed' ? 'gave up' : 'hung'),
  cause: 'end',
  rank: 0,
  detects: (context) =>
    callbackFamily(context) === 'lost callback' && context.run.ended !== 'succeeded'
      ? context.run.reason
      : undefined,
  says: (of) => `The client waits for a callback that may be lost (${where(of)}), and does not poll.`,
  advice: 'Poll now and then, such as every minute, until the task has ended: a callback can be lost.',
  expects: survives,
}
