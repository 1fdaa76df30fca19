import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered } from '../answers.ts'
import { Findings, type InvariantDefinition } from '../invariant.ts'
import { Memory } from '../memory.ts'
import { channelOf, isLook } from '../operations.ts'
import { isWaitSeen, maxWaitMs, shortestWaitMs, unseenWaits } from '../waits.ts'

/** How far a wait may be off: timers and networks aren't exact. */
const toleranceShare = 0.1

/**
 * Judged between two polls of a task through the same API, where the first had a good answer: what comes after trouble is
 * for `backs-off`. Slowness is judged only where the client did nothing else in between; who polls many tasks in turn
 * takes longer. Without bounds of its own it concerns videos only: drawings have no documented interval (§4.5).
 */
export const pollInterval: InvariantDefinition = {
  name: 'poll-interval',
  means: 'Between two polls of a task lie 5 to 10 seconds (§4.2, §8), or what the file says.',
  needs: 'unfinished task was polled twice',
  watch: (run, { min, max }) => {
    const findings = new Findings()
    const lastPolls = new Memory<JournalEntry>()
    const everywhere = min !== undefined || max !== undefined
    const minMs = parseDuration(min ?? (everywhere ? 0 : '5s'))
    const maxMs = max === undefined ? (everywhere ? Infinity : 10_000) : parseDuration(max)

    const judge = (last: JournalEntry, entry: JournalEntry): void => {
      const requests = [last.number, entry.number]
      const waitedMs = maxWaitMs(last, entry)
      const bounds = `${formatDuration(minMs)}${maxMs === Infinity ? ' or more' : ` to ${formatDuration(maxMs)}`}`
      const polled = `Task ${entry.task} was polled again after`
      if (waitedMs < minMs * (1 - toleranceShare)) {
        findings.violated(requests, `${polled} ${formatDuration(waitedMs)} instead of ${bounds}.`)
        return
      }
      const idleMs = shortestWaitMs(last, entry)
      const wasIdle = run.before === last.number
      if (wasIdle && idleMs > maxMs * (1 + toleranceShare)) {
        findings.violated(requests, `${polled} only ${formatDuration(idleMs)} instead of ${bounds}.`)
      }
    }

    return {
      admitted: (entry) => {
        const { operation, task, final } = entry
        if (task === null || !isLook(operation)) return
        if (!everywhere && channelOf(operation) !== 'video') return
        const subject = `${operation} ${task}`
        const last = lastPolls.get(subject)
        lastPolls.set(subject, entry)
        if (final) lastPolls.delete(subject)
        if (!last || !isDelivered(last) || last.status !== 200 || last.retryAfterMs !== null) return
        if (!isWaitSeen(entry)) {
          findings.unseen = unseenWaits
          return
        }
        findings.exercised++
        judge(last, entry)
      },
      findings: () => findings,
    }
  },
}
