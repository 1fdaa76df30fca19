import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered, isSettled } from '../answers.ts'
import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'
import type { WatchedTask } from '../watched-tasks.ts'

/** A task that was left behind when the same was submitted again. */
interface LeftBehind {
  readonly task: WatchedTask
  readonly uses: number
  readonly by: WatchedTask
  readonly wasLost: boolean
}

/**
 * Wanting the same twice is fine, at once or later: then both are asked about. What isn't is to submit anew because a poll
 * was lost, or although the answer had come, and to ask only about the new task from then on.
 */
export const noDuplicateSubmit: InvariantDefinition = {
  name: 'no-duplicate-submit',
  means: 'What was accepted is not submitted again in place of asking about it: each task costs.',
  needs: 'submission was accepted',
  watch: (run) => {
    const findings = new Findings()
    const latest = new Memory<WatchedTask>()
    const leftBehind = new Memory<LeftBehind>()

    const violations = (): Violation[] =>
      [...leftBehind.values()].filter(isAbandoned(run.listedAt)).map(({ task, by, wasLost }) => ({
        requests: [task.submission!.number, by.submission!.number],
        message:
          `The same was submitted again ${wasLost ? 'after a poll was lost' : 'though it had been accepted'}: ` +
          `task ${task.id} was left behind for ${by.id}.`,
      }))

    return {
      admitted: (entry, task) => {
        if (!task || task.submission !== entry) return
        const before = latest.get(entry.identity)
        latest.set(entry.identity, task)
        if (!before || !isDelivered(before.submission!)) return
        const wasLost = isLost(before.lastLook)
        if (!wasLost && before.uses > 0) return
        leftBehind.set(before.id, { task: before, uses: before.uses, by: task, wasLost })
      },
      settled: (entry, task) => {
        if (task?.submission === entry && isDelivered(entry)) findings.exercised++
      },
      findings: () => findings.with(violations()),
    }
  },
}

function isLost(look: JournalEntry | undefined): boolean {
  return look !== undefined && isSettled(look) && !(look.status < 400 && isDelivered(look))
}

/** Whether nobody came back to it, while the other was asked about. A list may have shown both. */
function isAbandoned(listedAt: number): (left: LeftBehind) => boolean {
  return ({ task, uses, by }) => task.uses === uses && by.uses > 0 && listedAt < by.submission!.number
}
