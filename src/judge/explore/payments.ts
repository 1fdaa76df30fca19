import { rulePrefix } from '../../apis/define/exploration.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { ClientRun } from './client-run.ts'
import { endsByTimeout, isSlow } from './injections.ts'
import { canListTasks } from './places.ts'
import { hitFirst, type FoundMistake, type RunContext } from './run-context.ts'

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

const isPaidFor = (entry: JournalEntry): boolean => entry.role === 'submit' || writesText(entry)

/** Whether a run paid for more than it should have. */
export function checkPayments(context: RunContext): FoundMistake[] {
  const { run, injections, schedule, scenario, surplus, baselineRun } = context
  const crashed = schedule.parts.find(({ injection }) => injection.crash)
  if (crashed) {
    if (surplus <= 0) return []
    const isUnknown = crashed.injection.crash === 'accepted' && crashed.injection.expected === 'either'
    const hasList = canListTasks(crashed.place.operation, run.operations, scenario)
    if (isUnknown && surplus === 1 && !hasList) return []
    const habit = isUnknown && hasList ? 'resubmits-unlisted' : 'resubmits-after-crash'
    const detail = `${countPaid(run)} tasks and texts instead of ${countPaid(baselineRun)}`
    return [{ severity: 'paid twice', habit, detail }]
  }
  const left = injections.some(isSlow)
    ? hitFirst(context).find((entry) => entry.outcome === 'aborted' && isPaidFor(entry))
    : undefined
  const again =
    left && run.exchanges.find((entry) => entry.number > left.number && entry.identity === left.identity)
  if (again) {
    const detail = `#${again.number} repeats #${left.number}, which the client did not wait for`
    return [{ severity: 'paid twice', habit: 'leaves-slow-answers', detail }]
  }
  if (surplus <= 0 || injections.some(({ isAcceptanceUnknown }) => isAcceptanceUnknown)) return []
  const habit = injections.some(endsByTimeout) ? 'resubmits-after-time-out' : 'resubmits'
  const detail = `${countPaid(run)} tasks and texts instead of ${countPaid(baselineRun)}`
  return [{ severity: 'paid twice', habit, detail }]
}
