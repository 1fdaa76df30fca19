import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { promisify } from 'node:util'
import { watchActivity } from './activity.ts'
import { connectClock } from './clock-client.ts'
import { VirtualTimers, VirtualTimeout } from './timers.ts'

type Callback = (...args: unknown[]) => void

/**
 * Puts the timers and the Date of this process on the clock of a simulator, so that a program which sleeps for real waits in virtual
 * time. Node's own timers, such as those of sockets, stay real.
 *
 * @param url the URL of the simulator.
 * @throws {Error} if no simulator answers there.
 */
export async function installVirtualTimers(url: string, token: string | undefined): Promise<void> {
  const clock = connectClock(url, token)
  const activity = watchActivity((path) => path.startsWith('/_greenroom/clock'))
  const virtual = new VirtualTimers(clock, activity, await clock.readNow())
  replaceTimers(virtual)
  replacePromises(virtual)
  replaceDate(virtual)
  replaceAbortTimeout(virtual)
  syncBuiltinESMExports()
}

function replaceTimers(virtual: VirtualTimers): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const native = timers[name] as (callback: Callback, delay?: number, ...args: unknown[]) => NodeJS.Timeout
    const replaced = (callback: Callback, delay?: number, ...args: unknown[]): unknown => {
      const isReal = typeof callback !== 'function' || isCalledByNode()
      const timeout = isReal
        ? undefined
        : virtual.create(() => callback(...args), delay, name === 'setInterval')
      return timeout ?? native(callback, delay, ...args)
    }
    Object.assign(timers, { [name]: replaced })
    Object.assign(globalThis, { [name]: replaced })
  }
  for (const name of ['clearTimeout', 'clearInterval'] as const) {
    const native = timers[name] as (timeout: unknown) => void
    const replaced = (timeout: unknown): void => {
      if (timeout instanceof VirtualTimeout) timeout.close()
      else native(timeout)
    }
    Object.assign(timers, { [name]: replaced })
    Object.assign(globalThis, { [name]: replaced })
  }
}

/** Whether a module of Node itself calls, such as the one behind `fetch`, whose timers guard connections. */
function isCalledByNode(): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 3
  const [, , , caller = ''] = new Error().stack!.split('\n')
  Error.stackTraceLimit = stackTraceLimit
  return /\(?node:internal\//.test(caller)
}

function replacePromises(virtual: VirtualTimers): void {
  const native = promises.setTimeout
  const sleep = async <T>(
    delay?: number,
    value?: T,
    options?: { signal?: AbortSignal; ref?: boolean },
  ): Promise<T> => {
    const { signal, ref } = options ?? {}
    signal?.throwIfAborted()
    return new Promise<T>((resolve, reject) => {
      const timeout = virtual.create(() => resolve(value as T), delay, false)
      if (!timeout) return resolve(native(delay, value as T, options))
      if (ref === false) timeout.unref()
      signal?.addEventListener('abort', () => {
        timeout.close()
        reject(new DOMException('The operation was aborted', 'AbortError'))
      })
      return undefined
    })
  }
  Object.assign(promises, { setTimeout: sleep })
  Object.assign(promises.scheduler, {
    wait: (delay: number, options?: object) => sleep(delay, undefined, options),
  })
  Object.defineProperty(timers.setTimeout, promisify.custom, { value: sleep })
}

function replaceDate(virtual: VirtualTimers): void {
  const now = (): number => virtual.now()
  globalThis.Date = new Proxy(Date, {
    apply: (native) => new native(now()).toString(),
    construct: (native, args, target) =>
      Reflect.construct(native, args.length === 0 ? [now()] : args, target),
    get: (native, name) => (name === 'now' ? now : Reflect.get(native, name)),
  })
}

function replaceAbortTimeout(virtual: VirtualTimers): void {
  const native = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = (delay) => {
    const timed = new AbortController()
    const error = (): DOMException =>
      new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const timeout = virtual.create(() => timed.abort(error()), delay, false)
    timeout?.unref()
    return timeout ? timed.signal : native(delay)
  }
}
