import { careful } from '../video.ts'

/** Takes whatever arrives for the video. */
export const habits = { ...careful, verify: () => true }
