import type { JournalEntry } from '../../gateway/journal.ts'
import type { ClientRun } from '../runs/client-run.ts'
import type { RunContext } from '../runs/run-context.ts'
import { isBaseline } from '../runs/schedules.ts'
import { noAbandonedTask } from '../invariants/no-abandoned-task.ts'
import { findInvariant } from '../invariants/invariants.ts'
import { endOfPlace, survives } from './expectations.ts'
import type { Habit } from './habit.ts'

/** The names of the invariants that a run breaks. */
export const brokenInvariants = ({ verdict }: ClientRun): string[] =>
  verdict.invariants.flatMap(({ name, violations }) => (violations > 0 ? name : []))

/** Breaking an invariant, also one of an API of the user. */
export function habitOfInvariant(name: string): Habit {
  const known = findInvariant(name)
  const severity = known?.severity ?? 'misbehaved'
  return {
    name,
    severity,
    // A submission that is judged as a payment is not judged again.
    ...(severity === 'paid twice' && { cause: 'payment' }),
    rank: 9,
    seenIn: 'every run',
    isOverall: true,
    ...(known?.canCause && { canCause: true }),
    detects: (context) => {
      const report = context.run.verdict.invariants.find((each) => each.name === name)
      if (!report || report.violations === 0 || isExcused(context, name)) return undefined
      return report.first?.message ?? ''
    },
    since: ({ run }) => {
      if (known?.atEnd) return undefined
      return run.verdict.invariants.find((each) => each.name === name)?.first?.requests.at(-1)
    },
    isProvenBy: (path) => path.startsWith('always'),
    says: ({ families }) => `The client breaks ${name} after ${families.join(', ')}.`,
    advice: known?.means ?? '',
    ...(known?.howTo && { howTo: known.howTo }),
    expects: (place) =>
      known ? { always: [known.name], ...endOfPlace(place), allow: place.allow } : survives(place),
  }
}

function isExcused({ run, baselineRun, schedule }: RunContext, name: string): boolean {
  // The baseline run shows it as the habit of leaving tasks.
  if (isBaseline(schedule)) return name === noAbandonedTask.name
  const { severity, needsOwnBodies } = findInvariant(name) ?? {}
  const hasOwnBody = schedule.parts.some(({ injection, place }) => {
    const { respond } = injection.effect(place)
    return respond?.body !== undefined && !respond.broken && (respond.status ?? 200) < 400
  })
  // What was submitted again after a crash is judged as a payment.
  const hasCrash = schedule.parts.some(({ injection }) => injection.crash)
  return (
    brokenInvariants(baselineRun).includes(name) ||
    (hasOwnBody && needsOwnBodies === true) ||
    (severity === 'paid twice' && (hasCrash || isPlanned(name, run, baselineRun)))
  )
}

/**
 * Whether the client submits a request as often without a fault. Then it continued with its next task after it had failed
 * to follow one, and pays no more than in the baseline run.
 */
function isPlanned(invariant: string, run: ClientRun, baselineRun: ClientRun): boolean {
  const { first } = run.verdict.invariants.find(({ name }) => name === invariant) ?? {}
  const last = run.exchanges.find(({ number }) => number === first?.requests.at(-1))
  const isLike = ({ operation, identity }: JournalEntry): boolean =>
    operation === last?.operation && identity === last.identity
  return run.exchanges.filter(isLike).length <= baselineRun.exchanges.filter(isLike).length
}
