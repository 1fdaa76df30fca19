import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { TransportError } from './errors.ts'

/** So long a request is taken to be on its way: time that is moved by sleepers must not run ahead of it. */
const onTheWayMs = 1_000

/** The signal of a request, aborted when nothing has come for too long. */
export interface Timeout {
  readonly signal: AbortSignal
  /** Something came: the time begins anew. */
  readonly renew: () => void
  readonly end: () => void
}

/**
 * Waits for an answer as long as a client has patience. The time is that of `sleep`; it begins a moment of real time
 * after the request, so that a clock that jumps to its next sleeper doesn't overtake what is on its way.
 */
export function startTimeout(
  durationMs: number,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
): Timeout {
  const leaving = new AbortController()
  let asleep: AbortController | undefined
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const stop = (): void => {
    hostTimers.clearTimeout(timer)
    asleep?.abort()
  }
  const start = (): void => {
    timer = hostTimers.setTimeout(() => {
      const sleeping = (asleep = new AbortController())
      sleep(durationMs, sleeping.signal).then(
        () => leaving.abort(new TransportError(`nothing came for ${durationMs / 1_000} s`)),
        () => {},
      )
    }, onTheWayMs)
  }
  start()
  return {
    signal: leaving.signal,
    renew: () => {
      stop()
      start()
    },
    end: stop,
  }
}
