import { isRight } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { hasRepeated, shorten, takesPart } from '../results.ts'

export const ignoresEarlyEnd: Habit = {
  name: 'ignores-early-end',
  severity: 'wrong result',
  cause: 'result',
  rank: 1,
  detects: (context) => {
    const { injections, run, isSame } = context
    if (!injections.some(({ endsEarly }) => endsEarly)) return undefined
    if (run.ended !== 'succeeded' || !(isSame || takesPart(context)) || hasRepeated(context)) return undefined
    return isSame ? 'the same result as in the baseline run' : `it succeeds with ${shorten(run.result)}`
  },
  says: (of) => `The client takes a text that ended early for a whole one (${where(of)}).`,
  advice: 'Read the finish reason, and report anything but a normal end.',
  expects: isRight,
}
