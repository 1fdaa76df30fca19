import { Findings } from '../../apis/define/invariant.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import { isDelivered } from '../exchanges.ts'
import type { GeneralInvariant } from './invariant.ts'

/**
 * Not violated by a client that ends with an error, since it has reported the problem. A client that never got the response
 * to its submission doesn't know the task. One that leaves a dialog open has declined it.
 */
export const noAbandonedTask: GeneralInvariant = {
  name: 'no-abandoned-task',
  means: 'A client follows each task that is paid for to its end, or cancels it, before it ends.',
  advice: 'Follow each task to its end or cancel it. If you must leave one, end with an error that names it.',
  needs: 'task was paid for',
  atEnd: {
    allow: 'abandonedTasks',
    expected: 'the client follows each task that is paid for to its end',
  },
  severity: 'gave up',
  watch: ({ tasks, end }) => {
    return {
      findings: () => {
        const findings = new Findings()
        const known = tasks.all().filter(isKnownToClient)
        findings.exercised = known.length
        if (end() === 'failed') return findings
        return findings.with(
          known
            .filter(({ isSettled, wasListed }) => !isSettled && !wasListed)
            .map(({ id, submission, lastPoll }) => ({
              requests: [submission!.number, ...(lastPoll ? [lastPoll.number] : [])],
              message: `The client left task ${id} before it knew that the task had ended.`,
            })),
        )
      },
    }
  },
}

/** Whether it costs something, and the client has its id. */
function isKnownToClient({ submission, isDeclined }: WatchedTask): boolean {
  return submission !== undefined && submission.quota > 0 && isDelivered(submission) && !isDeclined
}
