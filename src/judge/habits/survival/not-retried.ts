import { callbackFamily } from '../callbacks.ts'
import { survives } from '../expectations.ts'
import { about, where, type Habit } from '../habit.ts'

/** A client that gives up at this number of families probably never retries. */
const manyFamilies = 3

export const notRetried: Habit = {
  name: 'not-retried',
  severity: 'gave up',
  cause: 'survival',
  rank: 6,
  // A client that repeats neither of these at several operations lacks one thing: a retry.
  isPerOperation: (families) => !['rate limit', 'server error'].every((each) => families.includes(each)),
  // A client that gives up at few kinds of failures has a separate mistake for each.
  isPerFamily: ({ length }) => length < manyFamilies,
  detects: (context) => {
    const { run, expected } = context
    return run.ended === 'failed' && expected === 'survive' && callbackFamily(context) === undefined
      ? run.reason
      : undefined
  },
  says: (of) =>
    of.families.length >= manyFamilies
      ? `The client never repeats ${where(of)}: ${about(of)}.`
      : `The client gives up at a temporary failure of ${where(of)}: ${about(of)}.`,
  advice:
    'Repeat the request a few times, with longer and longer waits, and at least as long as Retry-After says.',
  howTo: {
    python: 'In Python: tenacity, or urllib3.util.Retry in an HTTPAdapter of requests.',
    javascript: 'In JavaScript: a loop around fetch, or p-retry.',
  },
  expects: survives,
}
