import { careful } from '../video.ts'

/** Backs off, but never as long as Retry-After says. */
export const habits = { ...careful, delayMs: (failures: number) => 1_250 * 2 ** failures }
