import { joinSentences } from '../gateway/replies/errors.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { Expect } from '../scenario/vocabulary/types.ts'
import { commandExpectation } from './expectations/command.ts'
import { fitsStatus } from './expectations/selection.ts'

/**
 * Explains that the gateway itself refused every request, as it does with a wrong key or a wrong URL. Such a run tests nothing,
 * even if no expectation is violated.
 *
 * @param entries the exchanges of the run.
 * @param expect may name the refusal, or an error of the command. Then it is meant.
 * @returns undefined if a request was accepted, or a rule, a throttle or the account of a key refused one.
 */
export function explainNothingAccepted(
  entries: readonly JournalEntry[],
  expect: Expect = {},
): string | undefined {
  const sent = entries.filter(({ role }) => role !== 'report')
  const [first] = sent
  if (!first || !sent.every(isOwnRefusal)) return undefined
  const { requests = [], allow = {} } = expect
  const isNamed = requests.some(({ status }) =>
    [status ?? []].flat().some((each) => sent.some((entry) => fitsStatus(each, entry.status))),
  )
  const { exit = 0 } = commandExpectation(expect)
  if (isNamed || exit !== 0 || (allow.unmatched === true && requests.length > 0)) return undefined
  const { number, method, path, status, hint } = first
  const what = `The gateway refused every request, ${sent.length} of ${sent.length}. The first is #${number} ${method} ${path}, with ${status}.`
  return hint === null ? what : joinSentences(what, hint)
}

/** A refusal for the balance or the models of a known key may be what a scenario is about. */
function isOwnRefusal({ status, rules, fault, outcome, authorized }: JournalEntry): boolean {
  if (outcome === 'open' || rules.length > 0 || fault !== null || status < 400 || status >= 500) return false
  return !(authorized && [402, 403, 429].includes(status))
}
