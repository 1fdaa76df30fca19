import { careful, type Task } from '../video.ts'

const pending = ['NOT_START', 'SUBMITTED', 'QUEUED', 'queued', 'IN_PROGRESS', 'in_progress', 'SUCCESS']

/** Takes a status that it doesn't know for a failure. */
export const habits = { ...careful, hasFailed: (task: Task) => !pending.includes(task.status) }
