import type { HostTimers } from '../../src/engine/clock/timers/host-timers.ts'

/** Timers and a wall clock that a test advances. */
export interface FakeHost extends HostTimers {
  pass: (ms: number) => void
  /** Advances time without firing timers, as in a busy process. */
  passBusy: (ms: number) => void
}

/** Lets time pass as in a process that is not busy: its timers ring when they are due. */
export function passInSteps(host: FakeHost, ms: number, stepMs = 1): void {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) host.pass(stepMs)
}

/** A host with its own timers, whose time a test advances. */
export function fakeHost(wall = 0): FakeHost {
  let elapsed = 0
  const timers = new Map<object, { due: number; callback: () => void }>()
  return {
    setTimeout: (callback, delayMs = 0) => {
      const timer = {}
      timers.set(timer, { due: elapsed + delayMs, callback })
      return timer as ReturnType<typeof setTimeout>
    },
    clearTimeout: (timer) => void (timer && timers.delete(timer)),
    setImmediate: (callback) => void setImmediate(callback),
    now: () => wall + elapsed,
    elapsedMs: () => elapsed,
    passBusy: (ms) => void (elapsed += ms),
    pass: (ms) => {
      elapsed += ms
      for (const [timer, { due, callback }] of Array.from(timers)) {
        if (due > elapsed) continue
        timers.delete(timer)
        callback()
      }
    },
  }
}
