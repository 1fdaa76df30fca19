import { rulePrefix } from '../../apis/define/exploration.ts'
import { pluralize } from '../../engine/wording.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { ClientRun } from '../runs/client-run.ts'
import { canListTasks } from '../runs/places.ts'
import type { RunContext } from '../runs/run-context.ts'

/** Tasks, and texts that arrived complete. */
export function countPaid({ exchanges, verdict }: ClientRun): number {
  const texts = exchanges.filter(
    ({ role, status, content, fault, rules, stream }) =>
      writesText({ role }) &&
      status === 200 &&
      content === 'complete' &&
      fault === null &&
      !rules.some((rule) => rule.startsWith(rulePrefix)) &&
      (!stream || stream.ended === 'finished'),
  )
  return verdict.tasks.length + texts.length
}

export const isPaidFor = (entry: JournalEntry): boolean => entry.role === 'submit' || writesText(entry)

/** `2 tasks instead of 1`. */
export function describeSurplus({ run, baselineRun }: RunContext): string {
  const [tasks, texts] = [run.verdict.tasks.length, countPaid(run) - run.verdict.tasks.length]
  const [plannedTasks, plannedTexts] = [
    baselineRun.verdict.tasks.length,
    countPaid(baselineRun) - baselineRun.verdict.tasks.length,
  ]
  return [
    ...(tasks > plannedTasks ? [`${pluralize(tasks, 'task')} instead of ${plannedTasks}`] : []),
    ...(texts > plannedTexts ? [`${pluralize(texts, 'text')} instead of ${plannedTexts}`] : []),
  ].join(', ')
}

/** The number of the first request that was paid for again. */
export function firstPaidAgain({ run, baselineRun }: RunContext): number | undefined {
  const count = (entries: readonly JournalEntry[], { operation, identity }: JournalEntry): number =>
    entries.filter((entry) => entry.operation === operation && entry.identity === identity).length
  const paid = run.exchanges.filter(isPaidFor)
  return paid.find(
    (entry, index) =>
      count(paid.slice(0, index + 1), entry) > Math.max(1, count(baselineRun.exchanges, entry)),
  )?.number
}

/** In real time, how long before a crash a response may have been sent that the process had not read yet. */
const unreadMs = 100

/** The submissions that the gateway accepted, and whose responses never reached the process that crashed. */
function listUnanswered({ exchanges, crashes = [], isRealTime }: ClientRun): JournalEntry[] {
  return exchanges.filter(({ role, task, number, outcome, settledAt }) => {
    const crash = crashes.find(({ before }) => number < before)
    if (role !== 'submit' || task === null || !crash) return false
    if (settledAt === null || settledAt > crash.at || outcome !== 'completed') return true
    return isRealTime === true && settledAt > crash.at - unreadMs
  })
}

/** Whether each submission that was paid for again had the idempotency key of an earlier one. */
export function sharesKeys({ exchanges }: ClientRun): boolean {
  const paid = exchanges.filter((entry) => isPaidFor(entry) && entry.task !== null)
  const again = paid.filter(({ identity }, index) =>
    paid.slice(0, index).some((earlier) => earlier.identity === identity),
  )
  const hasKey = ({ idempotencyKey, identity, number }: JournalEntry): boolean =>
    idempotencyKey !== undefined &&
    paid.some(
      (earlier) =>
        earlier.number < number && earlier.identity === identity && earlier.idempotencyKey === idempotencyKey,
    )
  return again.length > 0 && again.every(hasKey)
}

/** What a client that crashed could know of a surplus; undefined without a crash or a surplus. */
export function surplusAfterCrash({
  run,
  schedule,
  scenario,
  surplus,
}: RunContext): 'nothing' | 'by a list' | 'by itself' | undefined {
  if (surplus <= 0 || !schedule.parts.some(({ injection }) => injection.crash)) return undefined
  const unanswered = listUnanswered(run)
  if (surplus > unanswered.length) return 'by itself'
  const areListed = unanswered.every(({ operation }) => canListTasks(operation!, run.operations, scenario))
  return areListed ? 'by a list' : 'nothing'
}

/** Whether a run without a crash paid for more than it should have, though the client knew what was accepted. */
export const hasKnownSurplus = ({ schedule, injections, surplus }: RunContext): boolean =>
  surplus > 0 &&
  !schedule.parts.some(({ injection }) => injection.crash) &&
  !injections.some(({ isAcceptanceUnknown }) => isAcceptanceUnknown)
