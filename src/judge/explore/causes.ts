import { groupBy } from '../../engine/group-by.ts'
import { habitNamed } from '../habits/habits.ts'
import type { ObservedMistake } from './mistakes.ts'
import { isBaseline } from '../runs/schedules.ts'

/** Mistakes with one cause: those of the habit that comes first, and what followed from them in the same runs. */
export interface CausalGroup<Mistake extends ObservedMistake> {
  readonly leading: readonly Mistake[]
  readonly following: readonly Mistake[]
}

/**
 * Groups mistakes by their causes. In each run, the earliest mistake leads. A habit that leads somewhere stands by itself; one that only
 * ever follows belongs to the mistakes that it follows from. In the baseline run nothing follows from a fault, so each stands by itself.
 */
export function groupByCause<Mistake extends ObservedMistake>(
  mistakes: readonly Mistake[],
): CausalGroup<Mistake>[] {
  const keys = listKeys(mistakes)
  const runs = groupBy(mistakes, ({ schedule }) => schedule)
  const leads = new Map([...runs].map(([schedule, of]) => [schedule, findLead(of)]))
  const leading = new Set(
    mistakes.flatMap((mistake) =>
      isBaseline(mistake.schedule) || leads.get(mistake.schedule) === mistake ? keys.get(mistake)! : [],
    ),
  )
  const groups = groupBy(
    mistakes.filter((mistake) => leading.has(keys.get(mistake)!)),
    (mistake) => keys.get(mistake)!,
  )
  const followers = mistakes.filter((mistake) => !leading.has(keys.get(mistake)!))
  return [...groups].map(([key, group]) => ({
    leading: group,
    following: followers.filter(({ schedule }) => keys.get(leads.get(schedule)!) === key),
  }))
}

/** Mistakes with one key are one habit, at one operation if that matters. */
function listKeys<Mistake extends ObservedMistake>(
  mistakes: readonly Mistake[],
): ReadonlyMap<Mistake, string> {
  const keys = new Map<Mistake, string>()
  for (const [name, of] of groupBy(mistakes, ({ habit }) => habit))
    for (const [operation, group] of groupBy(of, (mistake) => mistake.operation)) {
      const { isPerOperation = false } = habitNamed(name)
      const families = [...new Set(group.map(({ family }) => family))]
      const isApart = typeof isPerOperation === 'function' ? isPerOperation(families) : isPerOperation
      for (const mistake of group) keys.set(mistake, isApart ? `${name} ${operation}` : name)
    }
  return keys
}

/** Most bad manners cause nothing worse. */
function findLead<Mistake extends ObservedMistake>(of: readonly Mistake[]): Mistake {
  const causes = of.filter(
    ({ severity, habit }) => severity !== 'misbehaved' || habitNamed(habit).canCause === true,
  )
  return (causes.length > 0 ? causes : of).toSorted(byTime)[0]!
}

const byTime = (
  { since: one = Infinity }: ObservedMistake,
  { since: other = Infinity }: ObservedMistake,
): number => (one === other ? 0 : one - other)
