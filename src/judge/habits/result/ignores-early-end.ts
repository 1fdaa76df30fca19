import { isRight } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSuccess, hasRepeated } from '../results.ts'

export const ignoresEarlyEnd: Habit = {
  name: 'ignores-early-end',
  severity: 'wrong result',
  cause: 'result',
  rank: 1,
  detects: (context) => {
    const isEarlyEnd = context.injections.some(({ endsEarly }) => endsEarly)
    if (!isEarlyEnd || !context.isSame || hasRepeated(context)) return undefined
    return describeSuccess(context)
  },
  says: (of) => `The client takes a text that ended at a limit for a whole one (${where(of)}).`,
  advice: 'Read the finish reason, and report anything but a normal end.',
  expects: isRight,
}
