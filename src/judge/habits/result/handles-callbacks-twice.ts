import { callbackFamily, describeMisled, isKnownEnd } from '../callbacks.ts'
import { printsTheSame } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeDifference } from '../results.ts'

export const handlesCallbacksTwice: Habit = {
  name: 'handles-callbacks-twice',
  severity: 'wrong result',
  cause: 'result',
  rank: -1,
  detects: (context) => {
    const family = callbackFamily(context)
    // Without the callback, or before it, a poll reports the end.
    if (family === 'lost callback' || isKnownEnd(context)) return describeDifference(context)
    return family === 'repeated callback' ? describeMisled(context) : undefined
  },
  says: (of) => `The result depends on how often a callback arrives (${where(of)}).`,
  advice: 'Remember which tasks have ended, or the ids of callbacks, and ignore what you have handled.',
  expects: printsTheSame,
}
