import type { ClockMode } from '../clock-settings.ts'
import { hostTimers, isFake, unref, type HostTimers } from './host-timers.ts'

type Timer = ReturnType<HostTimers['setTimeout']>

/** How often a wait checks whether the process has replaced its timers. */
const checkEveryMs = 20

const realDate = globalThis.Date

/**
 * The timers and the `Date` of this process at present, faked or not; {@link hostTimers} are the real ones.
 *
 * A wait survives a replacement of the timers, such as `vi.useRealTimers()`: the fake timer never fires, so a real
 * one checks for that.
 */
export function presentTimers(): HostTimers {
  const ends = new WeakMap<object, () => void>()
  return {
    setTimeout: (callback, delayMs = 0) => {
      const handle = {}
      ends.set(handle, startTimer(callback, delayMs))
      return handle as Timer
    },
    clearTimeout: (timer) => timer && ends.get(timer)?.(),
    setImmediate: (callback) => hostTimers.setImmediate(callback),
    now: dateNow,
    elapsedMs: startStopwatch(),
  }
}

/** The `Date` of this process, faked or not, in milliseconds since 1970. */
export function dateNow(): number {
  return Date.now()
}

/** Whether the timers of this process are faked. */
export function areFaked(): boolean {
  return isFake(globalThis.setTimeout)
}

/** Whether timers are faked and `Date` is not: then they drift apart, and no wait can follow both. */
export function isHalfFaked(): boolean {
  return areFaked() && globalThis.Date === realDate && !isFake(globalThis.Date)
}

/** @returns a function that clears the timer. */
function startTimer(callback: () => void, delayMs: number): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const due = Date.now() + delayMs
  let watch: Timer | undefined
  const end = (): void => {
    clear(timer)
    hostTimers.clearTimeout(watch)
  }
  const ring = (): void => {
    end()
    callback()
  }
  const check = (): void => {
    if (globalThis.setTimeout !== set || Date.now() >= due) ring()
    else watch = unref(hostTimers.setTimeout(check, checkEveryMs))
  }
  const timer = set(ring, delayMs)
  watch = unref(hostTimers.setTimeout(check, checkEveryMs))
  return end
}

/** Milliseconds that follow `Date` forward. When it is set back, they continue from there. */
function startStopwatch(): () => number {
  let last = Date.now()
  let elapsedMs = 0
  return () => {
    const date = Date.now()
    elapsedMs += Math.max(0, date - last)
    last = date
    return elapsedMs
  }
}

/** Runs real work. In mode `host`, fake timers that advance by themselves are paused meanwhile. */
export function withFakeTimersPaused<T>(
  { mode }: { readonly mode: ClockMode },
  work: Promise<T>,
): Promise<T> {
  return mode === 'host' ? work.finally(pauseFakeTimers()) : work
}

/**
 * Pauses fake timers that advance by themselves, as after `vi.setTimerTickMode('nextTimerAsync')`. They jump to the
 * next timer as soon as the process is idle, and know nothing of an encoder in another process. The next timer would
 * often be a deadline of the client. Until the work is done, the next timer is always one that is due at once.
 *
 * @returns a function that ends the pause.
 */
function pauseFakeTimers(): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  if (!advancesByItself(set)) return () => {}
  let isOver = false
  let timer: Timer
  // A timer set within the callback of another is due a millisecond later; set after it, at once.
  const repeat = (): void => {
    if (!isOver) timer = set(() => void Promise.resolve().then(repeat), 0)
  }
  repeat()
  return () => {
    isOver = true
    clear(timer)
  }
}

/** Whether fake timers advance by themselves. Those of sinon, which Vitest and Jest use too, expose their tick mode. */
function advancesByItself(timer: typeof setTimeout): boolean {
  const { clock } = timer as { clock?: { readonly tickMode?: { readonly mode: string } } }
  return isFake(timer) && clock?.tickMode?.mode === 'nextAsync'
}
