import { careful } from '../video.ts'

/** Has no deadline for the task. */
export const habits = { ...careful, deadlineMs: Infinity }
