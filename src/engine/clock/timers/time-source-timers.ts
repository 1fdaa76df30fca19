import { hostTimers, isFake, type HostTimers } from './host-timers.ts'

type Timer = ReturnType<HostTimers['setTimeout']>

/** How often somebody looks whether the timers were exchanged. */
const watchMs = 20

const realDate = globalThis.Date

/**
 * The timers and the `Date` that this process has now, faked or not: the opposite of {@link hostTimers}. A test
 * that fakes them and turns them by hand turns these.
 *
 * Whoever waits is not lost when the timers are exchanged meanwhile, as by `vi.useRealTimers()`: the fake that was to
 * ring never does, so the real timers watch over it.
 */
export function presentTimers(): HostTimers {
  const ends = new WeakMap<object, () => void>()
  return {
    setTimeout: (callback, delayMs = 0) => {
      const handle = {}
      ends.set(handle, ring(callback, delayMs))
      return handle as Timer
    },
    clearTimeout: (timer) => timer && ends.get(timer)?.(),
    setImmediate: (callback) => hostTimers.setImmediate(callback),
    now: dateNow,
    elapsedMs: stopwatch(),
  }
}

/** The wall clock as this process has it now, in milliseconds since 1970. */
export function dateNow(): number {
  return Date.now()
}

/** Whether timers are faked and `Date` is not: two times that drift apart, so that a wait on one never fits the other. */
export function isHalfFaked(): boolean {
  return isFake(globalThis.setTimeout) && globalThis.Date === realDate && !isFake(globalThis.Date)
}

/** @returns what ends it. */
function ring(callback: () => void, delayMs: number): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const due = Date.now() + delayMs
  let watch: Timer | undefined
  const end = (): void => {
    clear(timer)
    hostTimers.clearTimeout(watch)
  }
  const go = (): void => {
    end()
    callback()
  }
  const look = (): void => {
    if (globalThis.setTimeout !== set || Date.now() >= due) go()
    else watchOn()
  }
  const watchOn = (): void => {
    watch = hostTimers.setTimeout(look, watchMs)
    // Watching is no reason for a process to stay.
    ;(watch as { unref?: () => void }).unref?.()
  }
  const timer = set(go, delayMs)
  watchOn()
  return end
}

/** Milliseconds that follow `Date` forward. A `Date` that is set back takes nothing back; it goes on from there. */
function stopwatch(): () => number {
  let last = Date.now()
  let elapsedMs = 0
  return () => {
    const date = Date.now()
    elapsedMs += Math.max(0, date - last)
    last = date
    return elapsedMs
  }
}
