import { careful } from '../video.ts'

/** Says that a task failed, and not why. */
export const habits = { ...careful, failure: () => new Error('video generation failed') }
