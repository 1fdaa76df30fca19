import { isSlow } from '../../runs/injection.ts'
import { hitFirst } from '../../runs/run-context.ts'
import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { isPaidFor } from '../payments.ts'

export const leavesSlowAnswers: Habit = {
  name: 'leaves-slow-answers',
  severity: 'paid twice',
  cause: 'payment',
  rank: 5,
  detects: (context) => {
    const { run, injections } = context
    if (injections.some(({ crash }) => crash) || !injections.some(isSlow)) return undefined
    const left = hitFirst(context).find((entry) => entry.outcome === 'aborted' && isPaidFor(entry))
    const again =
      left && run.exchanges.find((entry) => entry.number > left.number && entry.identity === left.identity)
    return again && `#${again.number} repeats #${left.number}, which the client did not wait for`
  },
  says: (of) => `The client aborts a slow response and sends the request again (${where(of)}).`,
  advice: 'Wait longer: the first request goes on and is paid for.',
  expects: paysOnce,
}
