import { formatDuration } from '../../engine/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { Findings, type InvariantDefinition } from '../invariant.ts'
import { Memory } from '../memory.ts'
import { isRepeatOnPurpose } from '../repeats.ts'
import { isWaitSeen, longestWaitMs, unseenWaits } from '../waits.ts'

/** More refusals of one thing than this are not told apart. */
const mostOutstanding = 100

/** A second early is let pass, since dates count whole seconds; but never more than half the wait. */
const neededMs = (askedMs: number): number => askedMs - Math.min(1_000, askedMs / 2)

/**
 * Judged by what is asked: who must wait with one thing may go on with others. Where the same was refused several times,
 * each that comes in time takes the earliest of them along.
 */
export const honoursRetryAfter: InvariantDefinition = {
  name: 'honours-retry-after',
  means: 'A client that is asked to wait (`Retry-After`) asks for the same no sooner.',
  needs: 'client came back with what it had been asked to wait with',
  watch: (run) => {
    const findings = new Findings()
    const refusals = new Memory<JournalEntry[]>()

    const judge = (outstanding: JournalEntry[], entry: JournalEntry): void => {
      const known = outstanding.filter(({ outcome }) => outcome === 'completed')
      if (known.length === 0) return
      if (!isWaitSeen(entry)) {
        findings.unseen = unseenWaits
        return
      }
      const patient = known.find(
        (refusal) => longestWaitMs(refusal, entry) >= neededMs(refusal.retryAfterMs!),
      )
      const refusal = patient ?? known.at(-1)!
      if (!patient && isRepeatOnPurpose(refusal, entry, run)) return
      findings.exercised++
      outstanding.splice(outstanding.indexOf(refusal), 1)
      if (patient) return
      const [waited, asked] = [longestWaitMs(refusal, entry), refusal.retryAfterMs!].map(formatDuration)
      findings.violated(
        [refusal.number, entry.number],
        `#${refusal.number} asked to wait ${asked}; ${entry.operation} came again after ${waited}.`,
      )
    }

    return {
      admitted: (entry) => {
        if (entry.operation === null) return
        const outstanding = refusals.get(entry.identity)
        if (outstanding) judge(outstanding, entry)
        if (entry.retryAfterMs !== null && entry.retryAfterMs > 0) {
          if (!outstanding) refusals.set(entry.identity, [entry])
          else if (outstanding.length < mostOutstanding) outstanding.push(entry)
        } else if (outstanding?.length === 0) refusals.delete(entry.identity)
      },
      findings: () => findings,
    }
  },
}
