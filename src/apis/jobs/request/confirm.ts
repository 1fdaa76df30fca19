import { planTask } from '../../../engine/tasks/plan-task.ts'
import type { RequestFields } from '../../../engine/tasks/plan.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { drawsOf, shapeOf, type JobCourse } from '../job/course.ts'
import type { ReadJob } from '../job/record.ts'
import type { Refuse } from '../replies/replies.ts'
import type { ServedApi } from '../served.ts'
import type { JobSettings } from './settings.ts'

/** What a confirmation changes of a job. */
interface Confirmation {
  readonly request: ReadJob
  readonly job: JobCourse & { readonly isRepaced?: boolean }
  /** The fields of the request that replace those of the job. */
  readonly fields: object
}

/**
 * Ends the state in which a job waits for an operation.
 * @param operation its name.
 * @throws {GatewayError} if the job does not wait for it.
 */
export function confirmJob(
  x: Exchange,
  operation: string,
  { request, job, fields }: Confirmation,
  { draws: prefix }: ServedApi,
  { timing }: JobSettings,
  refuse: Refuse,
): Task {
  const { tasks, now, draws, decision } = x
  const { id, record, lifecycle } = x.task!
  const { state } = tasks.view(x.task!, now)
  const waiting = lifecycle.states[state]
  if (waiting?.on !== operation) throw refuse('notWaiting', { usual: 'The job is {status}', state })
  const { model, directed } = request
  const { fails, isRepaced = job.pace !== undefined } = job
  const shape = shapeOf(x, { ...job, model, directed: directed.shape }, timing)
  // Otherwise, the plan that the submission drew stays.
  const isReplanned =
    isRepaced || fails !== undefined || Object.keys({ ...directed.shape, ...decision.task }).length > 0
  const draw = drawsOf(draws, prefix, record, record.identity)
  const { to: next } = waiting
  tasks.confirm(x.task!, {
    at: now,
    operation,
    request: { prompt: directed.prompt, ...fields } as RequestFields,
    ...(typeof next === 'string' && isReplanned && { plan: planTask(lifecycle, shape, draw, next) }),
  })
  return tasks.find(id)!
}
