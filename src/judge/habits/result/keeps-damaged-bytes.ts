import { isRight } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeDifference, findDamaged } from '../results.ts'

export const keepsDamagedBytes: Habit = {
  name: 'keeps-damaged-bytes',
  severity: 'wrong result',
  cause: 'result',
  rank: 4,
  isPerOperation: true,
  isAboutFile: true,
  detects: (context) => {
    const hasDownload = context.schedule.parts.some(({ place }) => place.kind === 'download')
    return findDamaged(context)?.actual ?? (hasDownload ? describeDifference(context) : undefined)
  },
  says: (of) => `The client keeps a damaged download (${where(of)}).`,
  advice:
    'Check that the bytes are a video or image, and compare them with the length, and with the entity tag if that is a SHA-256. Download again what differs.',
  expects: isRight,
}
