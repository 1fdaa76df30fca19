import { hostTimers, type HostTimers } from './host-timers.ts'

/** Long work in steps of a few milliseconds, between which other work gets a turn of the event loop. */
export type Steps<Result> = Generator<void, Result>

/** Does all steps in this turn. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Does the first step in this turn and each further one in a turn of its own. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(host: HostTimers = hostTimers): Promise<void> {
  return new Promise((resolve) => host.setImmediate(resolve))
}

/** Waits two turns of the event loop: enough for woken code to respond and for its response to reach the socket. */
export function twoTurns(host: HostTimers): Promise<void> {
  return new Promise((resolve) => host.setImmediate(() => host.setImmediate(resolve)))
}
