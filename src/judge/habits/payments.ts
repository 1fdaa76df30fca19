import { rulePrefix } from '../../apis/define/exploration.ts'
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

export const describeSurplus = ({ run, baselineRun }: RunContext): string =>
  `${countPaid(run)} tasks and texts instead of ${countPaid(baselineRun)}`

/** What a client that crashed could know of a surplus; undefined without a crash or a surplus. */
export function surplusAfterCrash({
  run,
  schedule,
  scenario,
  surplus,
}: RunContext): 'nothing' | 'by a list' | 'by itself' | undefined {
  const crashed = schedule.parts.find(({ injection }) => injection.crash)
  if (!crashed || surplus <= 0) return undefined
  const isUnknown = crashed.injection.crash === 'accepted' && crashed.injection.expected === 'either'
  const hasList = canListTasks(crashed.place.operation, run.operations, scenario)
  if (isUnknown && hasList) return 'by a list'
  return isUnknown && surplus === 1 ? 'nothing' : 'by itself'
}

/** Whether a run without a crash paid for more than it should have, though the client knew what was accepted. */
export const hasKnownSurplus = ({ schedule, injections, surplus }: RunContext): boolean =>
  surplus > 0 &&
  !schedule.parts.some(({ injection }) => injection.crash) &&
  !injections.some(({ isAcceptanceUnknown }) => isAcceptanceUnknown)
