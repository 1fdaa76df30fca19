import { callbackFamily } from '../callbacks.ts'
import { survives } from '../expectations.ts'
import { about, where, type Habit, type Occurrences } from '../habit.ts'

/** A client that gives up at this number of families probably never retries. */
const manyFamilies = 3

/** Whether the gateway sent `Retry-After` as a date, which few clients expect. */
const hasDate = ({ schedule: { parts } }: Occurrences[number]): boolean =>
  parts.some(({ injection, place }) => injection.effect(place).respond?.retryAfterFormat === 'date')

export const notRetried: Habit = {
  name: 'not-retried',
  severity: 'gave up',
  cause: 'survival',
  rank: 6,
  // A client that repeats neither of these at several operations lacks one thing: a retry. One that gives up at rate limits alone
  // misreads them in one place, such as a date in `Retry-After`.
  isPerOperation: (families) =>
    !['rate limit', 'server error'].every((each) => families.includes(each)) &&
    families.some((each) => each !== 'rate limit'),
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
  advice: (_, occurrences) =>
    'Repeat the request a few times, with longer and longer waits, and at least as long as Retry-After says' +
    (occurrences.some(hasDate) ? ': in seconds, or as a date.' : '.'),
  howTo: {
    python: 'In Python: tenacity, or urllib3.util.Retry in an HTTPAdapter of requests.',
    javascript: 'In JavaScript: a loop around fetch, or p-retry.',
  },
  expects: survives,
}
