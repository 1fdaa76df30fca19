import { hostTimers } from './host-timers.ts'

/** Work that takes long, in steps of a few milliseconds: between two of them others may have their turn. */
export type Steps<Result> = Generator<void, Result>

/** Does all steps in this turn. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does each step in a turn of its own. What has one step only is done in this turn. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => hostTimers.setImmediate(resolve))
}
