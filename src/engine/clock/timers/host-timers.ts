/**
 * The host's timers and clocks, captured when this module is loaded. Fake timers of a user replace the globals later.
 * These continue, so an encoder's watchdog or a real-time clock never hangs in a test.
 */
export const hostTimers: HostTimers = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  setImmediate: captureSetImmediate(),
  now: Date.now.bind(Date),
  elapsedMs: performance.now.bind(performance),
}

export interface HostTimers {
  setTimeout: (callback: () => void, delayMs?: number) => ReturnType<typeof setTimeout>
  clearTimeout: (timer: ReturnType<typeof setTimeout> | undefined) => void
  /** Runs the callback in the next turn of the event loop. */
  setImmediate: (callback: () => void) => void
  /** Wall time in milliseconds since 1970. */
  now: () => number
  /** Milliseconds that only grow, even when the wall clock is set back. */
  elapsedMs: () => number
}

const utilization = captureUtilization()

/** How long the event loop of this process has waited for events in total, in milliseconds; undefined where no runtime counts it, such as in pages. */
export const readIdleMs = (): number | undefined => utilization?.().idle

function captureUtilization(): (() => { readonly idle: number }) | undefined {
  const { performance } = globalThis as {
    performance: { eventLoopUtilization?: () => { readonly idle: number } }
  }
  return performance.eventLoopUtilization?.bind(performance)
}

/** Lets the process end before the timer fires. Timers of browsers are numbers. */
export function unref(timer: ReturnType<HostTimers['setTimeout']>): typeof timer {
  ;(timer as { unref?: () => void }).unref?.()
  return timer
}

/** The timers above that were already faked when this module was loaded. Waits for real time hang with them. */
export const fakedAtLoad: readonly string[] = (['setTimeout', 'setImmediate'] as const).filter((name) =>
  isFake(globalThis[name]),
)

/** Fake timers of sinon, which Vitest and Jest use too, have a `clock`; Jest's legacy ones are mock functions. */
export function isFake(timer: unknown): boolean {
  return typeof timer === 'function' && ('clock' in timer || '_isMockFunction' in timer)
}

/** Browsers have no `setImmediate`. A message to oneself arrives in the next turn, even in a hidden tab. */
function captureSetImmediate(): HostTimers['setImmediate'] {
  if (typeof globalThis.setImmediate === 'function') {
    const native = globalThis.setImmediate.bind(globalThis)
    return (callback) => void native(callback)
  }
  if (typeof globalThis.MessageChannel === 'function') return immediateByMessage(new MessageChannel())
  const native = globalThis.setTimeout.bind(globalThis)
  return (callback) => void native(callback, 0)
}

function immediateByMessage({ port1, port2 }: MessageChannel): HostTimers['setImmediate'] {
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return (callback) => {
    waiting.push(callback)
    port2.postMessage(null)
  }
}

/**
 * Starts a grace period of the host's time for a client to act. It passes in steps, and the event loop reads what has arrived between
 * two of them. So a machine that stops this process for a while does not end it.
 *
 * @param onOver called once, unless the result is called before.
 * @returns a function that ends the period early.
 */
export function startGrace(host: HostTimers, graceMs: number, onOver: () => void, steps = 5): () => void {
  let timer: ReturnType<HostTimers['setTimeout']>
  const wait = (stepsLeft: number): void => {
    timer = host.setTimeout(() => (stepsLeft === 1 ? onOver() : wait(stepsLeft - 1)), graceMs / steps)
  }
  wait(steps)
  return () => host.clearTimeout(timer)
}
