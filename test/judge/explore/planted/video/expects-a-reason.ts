import { careful, type Task } from '../video.ts'

/** A task that fails without a reason ends the client with a TypeError. */
export const habits = {
  ...careful,
  failure: ({ fail_reason: reason }: Task) => new Error(`failed: ${reason!.split('\n')[0]!.trim()}`),
}
