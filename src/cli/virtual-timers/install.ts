import { subscribe } from 'node:diagnostics_channel'
import { syncBuiltinESMExports } from 'node:module'
import type { Socket } from 'node:net'
import { basename } from 'node:path'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { promisify } from 'node:util'
import { threadId } from 'node:worker_threads'
import { keyedDraws } from '../../engine/random/draws.ts'
import { connectClock } from './clock-client.ts'
import { watchCalls } from './places.ts'
import { readStack } from './stack.ts'
import { VirtualTimeout } from './timeout.ts'
import { VirtualTimers } from './timers.ts'

type Callback = (...args: unknown[]) => void

/**
 * Connects the timers and the Date of this process to the clock of a simulator, so that an unchanged program waits in
 * virtual time. Node's internal timers, such as those of `fetch`, stay real. `Math.random` draws from the seed of the
 * simulator.
 *
 * @param url the URL of the simulator.
 * @throws {Error} if no simulator responds there, or it refuses.
 */
export async function installVirtualTimers(
  url: string,
  options: { token: string | undefined; namespace: string | undefined },
): Promise<void> {
  // Without the folder, which differs between machines: the order and random numbers of processes depend on their names.
  const [program = process.execArgv.join(' '), ...words] = process.argv.slice(1)
  const name = [basename(program), ...words].join(' ')
  const identity = { pid: process.pid, parent: process.ppid, name, thread: threadId }
  const link = await connectClock(url, options, identity)
  let seed = ''
  const virtual = await new Promise<VirtualTimers>((resolve) => {
    const created = new VirtualTimers(link, (known) => {
      seed = known
      resolve(created)
    })
  })
  replaceRandom(seed, `${threadId} ${name}`)
  replaceTimers(virtual)
  replacePromises(virtual)
  replaceDate(virtual)
  replaceStopwatches(virtual)
  replaceAbortTimeout(virtual)
  watchCalls()
  subscribe('net.client.socket', (message) => {
    replaceSocketTimeout((message as { socket: Socket }).socket, link.socket, virtual)
  })
  syncBuiltinESMExports()
}

function replaceTimers(virtual: VirtualTimers): void {
  const realTimers = new WeakMap<object, () => void>()
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const native = timers[name] as (callback: Callback, delay?: number, ...args: unknown[]) => NodeJS.Timeout
    const replaced = (callback: Callback, delay?: number, ...args: unknown[]): unknown => {
      if (typeof callback !== 'function' || isCalledByNode()) return native(callback, delay, ...args)
      const repeats = name === 'setInterval'
      const timeout = virtual.create(() => callback(...args), delay, { repeats })
      if (timeout) return timeout
      virtual.countReal(1)
      let isOver = false
      const over = (): void => {
        if (!isOver) virtual.countReal(-1)
        isOver = true
      }
      const timer = native(() => {
        over()
        callback(...args)
      }, delay)
      realTimers.set(timer, over)
      return timer
    }
    Object.assign(timers, { [name]: replaced })
    Object.assign(globalThis, { [name]: replaced })
  }
  for (const name of ['clearTimeout', 'clearInterval'] as const) {
    const native = timers[name] as (timeout: unknown) => void
    const replaced = (timeout: unknown): void => {
      const found =
        typeof timeout === 'number' || typeof timeout === 'string' ? virtual.find(Number(timeout)) : timeout
      if (found instanceof VirtualTimeout) return void found.close()
      if (typeof timeout === 'object' && timeout !== null) realTimers.get(timeout)?.()
      native(timeout)
    }
    Object.assign(timers, { [name]: replaced })
    Object.assign(globalThis, { [name]: replaced })
  }
}

/** Whether the caller is a module of Node itself, such as the one behind `fetch`, whose timers guard connections. */
function isCalledByNode(): boolean {
  const [, , , caller = ''] = readStack(4)
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
      const timeout = virtual.create(() => resolve(value as T), delay, { repeats: false })
      if (!timeout) {
        virtual.countReal(1)
        return resolve(native(delay, value as T, options).finally(() => virtual.countReal(-1)))
      }
      if (ref === false) timeout.unref()
      signal?.addEventListener('abort', () => {
        timeout.close()
        reject(new DOMException('The operation was aborted', 'AbortError'))
      })
      return undefined
    })
  }
  async function* every<T>(
    delay?: number,
    value?: T,
    options?: { signal?: AbortSignal; ref?: boolean },
  ): AsyncGenerator<T> {
    for (;;) yield await sleep(delay !== undefined && delay >= 1 ? delay : 1, value as T, options)
  }
  Object.assign(promises, { setTimeout: sleep, setInterval: every })
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

/** Replaces `Math.random`, from which clients draw the delays of their retries. The same seed gives the same delays. */
function replaceRandom(seed: string, program: string): void {
  const { unit } = keyedDraws(seed)
  let count = 0
  Math.random = () => unit('client.random', program, count++)
}

/** Replaces `performance.now()` and `process.hrtime()`, by which a program may measure its waits. */
function replaceStopwatches(virtual: VirtualTimers): void {
  const start = virtual.now()
  const elapsedMs = (): number => virtual.now() - start
  Object.defineProperty(performance, 'now', { value: elapsedMs, configurable: true, writable: true })
  const hrtime = (before?: readonly [number, number]): [number, number] => {
    const ms = elapsedMs()
    const [seconds, nanoseconds] = [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
    if (!before) return [seconds, nanoseconds]
    const borrows = nanoseconds < before[1] ? 1 : 0
    return [seconds - before[0] - borrows, nanoseconds - before[1] + borrows * 1_000_000_000]
  }
  process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(elapsedMs()) * 1_000_000n })
}

function replaceAbortTimeout(virtual: VirtualTimers): void {
  const native = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = (delay) => {
    const timed = new AbortController()
    const error = (): DOMException =>
      new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const timeout = virtual.create(() => timed.abort(error()), delay, { repeats: false, isReferenced: false })
    return timeout ? timed.signal : native(delay)
  }
}

/**
 * Makes the idle timeout of a connection to the simulator virtual. `axios` and `node:http` use it to limit the wait for a
 * response. Other connections keep Node's own.
 */
function replaceSocketTimeout(socket: Socket, link: Socket, virtual: VirtualTimers): void {
  const native = socket.setTimeout.bind(socket)
  let timer: VirtualTimeout | undefined
  let delayMs = 0
  let bytes = 0
  const start = (): void => {
    timer?.close()
    timer = undefined
    if (delayMs <= 0 || socket.destroyed) return
    bytes = socket.bytesRead + socket.bytesWritten
    timer = virtual.create(pass, delayMs, { repeats: false, isReferenced: false })
  }
  // Arriving bytes don't move time, so the wait restarts at the instant of the latest bytes, at most one wait late.
  const pass = (): void => {
    timer = undefined
    if (bytes !== socket.bytesRead + socket.bytesWritten) return start()
    socket.emit('timeout')
  }
  const isOurs = (): boolean =>
    socket.remotePort === link.remotePort && socket.remoteAddress === link.remoteAddress
  socket.setTimeout = (timeoutMs, callback) => {
    if (!socket.connecting && !isOurs()) return native(timeoutMs, callback)
    delayMs = timeoutMs
    if (callback) {
      if (timeoutMs === 0) socket.off('timeout', callback)
      else socket.once('timeout', callback)
    }
    if (!socket.connecting) start()
    return socket
  }
  socket.once('connect', () => {
    if (isOurs()) return start()
    socket.setTimeout = native
    if (delayMs > 0) native(delayMs)
  })
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (timer) start()
    return push(chunk, encoding)
  }
  socket.once('close', () => {
    delayMs = 0
    timer?.close()
  })
}
