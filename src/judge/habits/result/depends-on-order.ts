import { callbackFamily, describeMisled, isKnownEnd } from '../callbacks.ts'
import { printsTheSame } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

export const dependsOnOrder: Habit = {
  name: 'depends-on-order',
  severity: 'wrong result',
  cause: 'result',
  rank: 0,
  detects: (context) => {
    const family = callbackFamily(context)
    const isMisplaced =
      family !== undefined && !isKnownEnd(context) && !/^(?:lost|repeated|forged)/.test(family)
    return isMisplaced ? describeMisled(context) : undefined
  },
  says: (of) => `The client depends on the order of callbacks (${where(of)}).`,
  advice:
    'A callback can arrive late, or before the response to its submission: never let an earlier state replace the end of a task.',
  expects: printsTheSame,
}
