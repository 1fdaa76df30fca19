import { isRight } from '../expectations.ts'
import { about, where, type Habit } from '../habit.ts'
import { describeSuccess } from '../results.ts'

export const ignoresFailure: Habit = {
  name: 'ignores-failure',
  severity: 'wrong result',
  cause: 'result',
  rank: 2,
  detects: (context) => {
    const { run, baselineRun, isSame, hasExitCode, injections } = context
    // A returned failure has another shape than a success.
    const isAlike = isSame || hasExitCode || shapeOf(run.result) === shapeOf(baselineRun.result)
    if (!isAlike || injections.some(({ endsEarly }) => endsEarly)) return undefined
    return describeSuccess(context)
  },
  says: (of) => `The client succeeds although the gateway reported a failure: ${about(of)} (${where(of)}).`,
  advice: 'Report the failure: throw, or exit with a code other than 0.',
  expects: isRight,
}

/** The shape of a result, without numbers and bytes. */
const shapeOf = (result: string): string => result.replace(/bytes [0-9a-f]+|\d+/g, '#')
