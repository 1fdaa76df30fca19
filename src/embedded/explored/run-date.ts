/** Reads the virtual time of one run. */
interface RunTime {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds that continue from what `performance.now()` returned when the run began. */
  readonly elapsedMs: () => number
}

/** The part of Node's `AsyncLocalStorage` that is used. It finds the run to which the current code belongs. */
interface Scope {
  getStore(): RunTime | undefined
  run<T>(time: RunTime, work: () => T): T
}

const asyncHooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
const scope: Scope | undefined = asyncHooks && new asyncHooks.AsyncLocalStorage<RunTime>()

/** How many runs replace the host's clocks, and what restores them. */
let users = 0
let restore = (): void => {}

/**
 * Lets `Date` and `performance.now()` of one run follow its clock, so that a deadline such as `Date.now() + 600_000` passes in
 * virtual time. Other code of the process reads the host's time.
 *
 * @returns `within` runs code of the client; `end` gives the host's clocks back. Undefined in pages, which have no
 * `AsyncLocalStorage`: nothing changes there.
 */
export function replaceDate(
  now: () => number,
): { within: <T>(work: () => T) => T; end: () => void } | undefined {
  if (!scope) return undefined
  const offsetMs = performance.now() - now()
  if (users++ === 0) restore = install(scope)
  const time = { now, elapsedMs: () => now() + offsetMs }
  return {
    within: (work) => scope.run(time, work),
    end: () => {
      if (--users === 0) restore()
    },
  }
}

function install(current: Scope): () => void {
  const { Date: HostDate, performance } = globalThis
  const readElapsedMs = performance.now.bind(performance)
  const ownNow = Object.getOwnPropertyDescriptor(performance, 'now')
  const dateNow = (): number => current.getStore()?.now() ?? HostDate.now()
  const RunDate = new Proxy(HostDate, {
    get: (target, name, receiver) => (name === 'now' ? dateNow : Reflect.get(target, name, receiver)),
    // Only a date without arguments is the current one.
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [dateNow()] : given, newTarget),
    apply: () => new HostDate(dateNow()).toString(),
  })
  globalThis.Date = RunDate
  const elapsedMs = (): number => current.getStore()?.elapsedMs() ?? readElapsedMs()
  Object.defineProperty(performance, 'now', { value: elapsedMs, configurable: true, writable: true })
  return () => {
    // Fake timers that were installed in the meantime stay.
    if (globalThis.Date === RunDate) globalThis.Date = HostDate
    if (performance.now !== elapsedMs) return
    if (ownNow) Object.defineProperty(performance, 'now', ownNow)
    else delete (performance as { now?: unknown }).now
  }
}
