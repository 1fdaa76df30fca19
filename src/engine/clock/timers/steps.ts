import { hostTimers, type HostTimers } from './host-timers.ts'

/** Long work in steps of a few milliseconds. Other work gets a turn of the event loop between two steps. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps in this turn. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs the first step in this turn, and each further one in a turn of its own. */
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

/** Waits two turns of the event loop. Within them, woken code can respond, and its response can reach the socket. */
export function twoTurns(host: HostTimers = hostTimers): Promise<void> {
  return new Promise((resolve) => host.setImmediate(() => host.setImmediate(resolve)))
}
