import { careful } from '../images.ts'

/** Backs off, but never as long as Retry-After says. */
export const habits = { ...careful, delayMs: (failures: number) => 100 * failures }
