import { callbackFamily, describeMisled } from '../callbacks.ts'
import { printsTheSame } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

export const believesForgedCallbacks: Habit = {
  name: 'believes-forged-callbacks',
  severity: 'wrong result',
  cause: 'result',
  rank: -2,
  detects: (context) => (callbackFamily(context) === 'forged callback' ? describeMisled(context) : undefined),
  says: (of) => `The client believes a callback with a wrong signature (${where(of)}).`,
  advice: 'Verify the signature over the bytes of the body before you read it, and refuse what does not fit.',
  expects: printsTheSame,
}
