import { careful } from '../video.ts'

/** Waits for a response for as long as it takes. */
export const habits = { ...careful, timeoutMs: Infinity }
