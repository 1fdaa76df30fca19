import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** So long a socket waits for an answer, or for more of it, before Node's own fetch gives it up. */
const maxStayMs = 300_000

/**
 * Keeps the process going while a client in it waits. One in which nothing else is to be done would end before the
 * client's own deadline has come: the timer of `AbortSignal.timeout` keeps none going; a socket does.
 */
export async function keepProcessAlive<T>(work: Promise<T>): Promise<T> {
  const timer = hostTimers.setTimeout(() => {}, maxStayMs)
  try {
    return await work
  } finally {
    hostTimers.clearTimeout(timer)
  }
}
