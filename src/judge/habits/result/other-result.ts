import { printsTheSame } from '../expectations.ts'
import { about, where, type Habit } from '../habit.ts'
import { describeDifference } from '../results.ts'

export const otherResult: Habit = {
  name: 'other-result',
  severity: 'wrong result',
  cause: 'result',
  rank: 5,
  isPerOperation: true,
  detects: describeDifference,
  says: (of) => `The client returns a wrong result after ${about(of)} (${where(of)}).`,
  advice: 'Verify what arrived, and report or repeat what is incomplete.',
  expects: printsTheSame,
}
