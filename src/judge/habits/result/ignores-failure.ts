import { reportsOrIsRight } from '../expectations.ts'
import { where, type Habit, type Subject } from '../habit.ts'
import { describeLoss, describeSuccess, findSkipped } from '../results.ts'

export const ignoresFailure: Habit = {
  name: 'ignores-failure',
  severity: 'wrong result',
  cause: 'result',
  rank: 2,
  detects: (context) => {
    const { run, baselineRun, isSame, hasExitCode, injections } = context
    const loss = describeLoss(context)
    if (loss !== undefined && context.expected !== 'report') return loss
    // After a crash, a client may not know of its task: then it can't succeed.
    const isCrash = injections.some(({ crash }) => crash)
    const skipped = isCrash && context.expected === 'either' ? findSkipped(context) : undefined
    if (skipped) return skipped.actual
    // A returned failure has another shape than a success.
    const isAlike = isSame || hasExitCode || shapeOf(run.result) === shapeOf(baselineRun.result)
    if (!isAlike || injections.some(({ endsEarly }) => endsEarly)) return undefined
    return describeSuccess(context)
  },
  says: (of) => `The client succeeds although ${reasonsOf(of)} (${where(of)}).`,
  advice: 'Report the failure: throw, or exit with a code other than 0.',
  expects: reportsOrIsRight,
}

const reasons: Readonly<Record<string, string>> = {
  'task fails': 'its task failed',
  'task stuck': 'its task never ended',
  outage: 'the gateway was out of order',
  'key revoked': 'its key was revoked',
  'refused for good': 'the gateway refused its request',
  gone: 'its result or task was gone',
}

const reasonsOf = ({ families }: Subject): string =>
  [...new Set(families.map((family) => reasons[family] ?? 'it has not everything'))].join(', or ')

/** The shape of a result, without numbers and bytes. */
const shapeOf = (result: string): string => result.replace(/bytes [0-9a-f]+|\d+/g, '#')
