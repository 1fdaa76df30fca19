import { findLoop } from '../endings.ts'
import { ends } from '../expectations.ts'
import { howToEndWaits } from '../how-to.ts'
import { where, type Occurrences, type Habit } from '../habit.ts'

export const noDeadline: Habit = {
  name: 'no-deadline',
  severity: 'hung',
  cause: 'end',
  rank: 1,
  detects: (context) => (findLoop(context) === 'waiting' ? context.run.reason : undefined),
  says: (of) => `The client waits forever for a response (${where(of)}).`,
  advice: (_, occurrences) =>
    `Give each request a deadline, such as a minute. ${adviseAfterDeadline(occurrences)}`,
  howTo: howToEndWaits,
  expects: ends,
}

/** What to do with a request whose deadline has passed. A submission may have been accepted, and then its task costs. */
function adviseAfterDeadline(occurrences: Occurrences): string {
  const hung = occurrences.flatMap(({ operation, schedule }) =>
    schedule.parts.map(({ place }) => place).filter((place) => place.operation === operation),
  )
  const [submitted, others] = [true, false].map((isSubmission) => {
    const places = hung.filter(({ kind }) => (kind === 'submit') === isSubmission)
    return [...new Set(places.map(({ operation }) => operation))].join(', ')
  })
  if (hung.length === 0) return 'Then repeat the request; report a submission, which may have been accepted.'
  if (!submitted) return `Then repeat ${others} a few times.`
  const report = `report ${submitted}, which may have been accepted.`
  return others ? `Then repeat ${others} a few times; ${report}` : `Then ${report}`
}
