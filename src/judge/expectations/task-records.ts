import type { RequestFields } from '../../engine/tasks/plan.ts'
import type { Channel } from './expect.ts'
import { channelOf } from '../operations.ts'
import type { JudgedTask } from '../verdict.ts'
import type { Watch } from '../watch.ts'

/** A task as the simulator tells of it. */
export interface RecordedTask {
  readonly id: string
  readonly operation: string
  readonly status: string
  readonly reason: string
  readonly submittedAt: number
  /** 0 until it has ended. */
  readonly finishedAt: number
  readonly request: RequestFields
  /** Each state with the instant at which it begins, the future included. */
  readonly timeline: readonly { readonly status: string; readonly from: number }[]
}

/** Oldest first. */
export type TaskRecords = readonly RecordedTask[]

/** Each task with its place among those of its channel, from 1. */
export function numbered(tasks: TaskRecords): { task: RecordedTask; channel: Channel; nth: number }[] {
  const counts: Record<Channel, number> = { video: 0, drawing: 0 }
  return tasks.flatMap((task) => {
    const channel = channelOf(task.operation)
    return channel ? [{ task, channel, nth: ++counts[channel] }] : []
  })
}

/** More tasks than this are not told one by one. */
const maxTasks = 1_000

/** The tasks of a run for reports. */
export function judgedTasks(tasks: TaskRecords, watch: Watch, now: number): JudgedTask[] {
  const start = watch.firstAt ?? 0
  return numbered(tasks)
    .slice(0, maxTasks)
    .map(({ task, channel, nth }) => ({
      id: task.id,
      channel,
      nth,
      status: task.status,
      reason: task.reason,
      submittedMs: task.submittedAt - start,
      endedMs: hasEnded(task) ? task.finishedAt - start : null,
      states: task.timeline
        .filter(({ from }) => from <= now)
        .map(({ status, from }) => ({ status, fromMs: from - start })),
      operations: Object.fromEntries(watch.tasks.find(task.id)?.counts ?? []),
    }))
}

export const hasEnded = ({ finishedAt }: RecordedTask): boolean => finishedAt > 0
