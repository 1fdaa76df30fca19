/**
 * The host's own timers and clocks, captured when this module is loaded. A user's fake timers replace the
 * globals later; ours go on, so that an encoder's watchdog or a real-time clock never hangs in their tests.
 */
export const hostTimers: HostTimers = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  setImmediate: immediately(),
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
  /** Milliseconds that only ever grow, also when somebody sets the wall clock back. */
  elapsedMs: () => number
}

/**
 * Which of the timers above were somebody's fakes when this module was loaded. They ring only when they are told to,
 * so whatever needs the real ones would hang.
 */
export const fakedAtLoad: readonly string[] = (['setTimeout', 'setImmediate'] as const).filter((name) =>
  isFake(globalThis[name]),
)

/** Sinon's fakes, which Vitest and Jest use too, name their clock; Jest's legacy ones are mock functions. */
export function isFake(timer: unknown): boolean {
  return typeof timer === 'function' && ('clock' in timer || '_isMockFunction' in timer)
}

/** Browsers have no `setImmediate`; a message to oneself is their next turn, and no slower in a tab that is hidden. */
function immediately(): HostTimers['setImmediate'] {
  if (typeof globalThis.setImmediate === 'function') {
    const native = globalThis.setImmediate.bind(globalThis)
    return (callback) => void native(callback)
  }
  if (typeof globalThis.MessageChannel === 'function') return byMessage(new MessageChannel())
  const native = globalThis.setTimeout.bind(globalThis)
  return (callback) => void native(callback, 0)
}

function byMessage({ port1, port2 }: MessageChannel): HostTimers['setImmediate'] {
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return (callback) => {
    waiting.push(callback)
    port2.postMessage(null)
  }
}
