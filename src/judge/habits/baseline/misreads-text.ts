import { misreadText } from '../../runs/schedules.ts'
import type { Habit } from '../habit.ts'
import { shorten } from '../results.ts'

export const misreadsText: Habit = {
  name: 'misreads-text',
  severity: 'wrong result',
  rank: 2,
  seenIn: 'baseline',
  isOverall: true,
  detects: ({ run: { result } }) => (result.includes(misreadText) ? shorten(result) : undefined),
  says: () => 'The client reads UTF-8 as Latin-1, also in the baseline run.',
  advice: 'Decode every text as UTF-8: events have no charset. In Python: response.encoding = "utf-8".',
  expects: () => undefined,
}
