import { didYouMean } from '../engine/did-you-mean.ts'
import { fitsGlob } from '../engine/glob.ts'
import { operations } from '../engine/operations/operations.ts'
import type { JournalFilter, Outcome } from '../gateway/journal.ts'
import { ControlError } from './control.ts'

const names: Readonly<Record<keyof JournalFilter, true>> = {
  operation: true,
  task: true,
  status: true,
  outcome: true,
  last: true,
}
/** What exchanges are called; reports about tasks are in the journal, too. */
const known: readonly string[] = [...operations, 'mj.notify']
const outcomes: Readonly<Record<Outcome, true>> = { open: true, completed: true, aborted: true, failed: true }

/**
 * Refuses what no exchange could ever fit: nothing found is an answer that is believed.
 * @throws {ControlError} 400
 */
export function checkFilter(filter: JournalFilter): void {
  for (const name of Object.keys(filter))
    if (!Object.hasOwn(names, name)) throw noSuch('filter', name, Object.keys(names))
  const { operation, outcome } = filter
  if (operation !== undefined && !known.some((each) => fitsGlob(operation, each)))
    throw noSuch('operation', operation, known, '; * stands for any text')
  if (outcome !== undefined && !Object.hasOwn(outcomes, outcome))
    throw noSuch('outcome', outcome, Object.keys(outcomes))
}

function noSuch(what: string, given: string, those: readonly string[], more = ''): ControlError {
  return new ControlError(
    400,
    `"${what}" is ${JSON.stringify(given.slice(0, 60))}, which is none.${didYouMean(given, those)} Known: ${those.join(', ')}${more}.`,
  )
}
