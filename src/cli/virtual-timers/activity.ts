import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import type { Statement } from '../../engine/clock/agents/agent.ts'
import type { ClockClient } from './clock-client.ts'
import { StartedProcesses } from './children.ts'
import { ProcessConnections } from './connections.ts'
import crypto from 'node:crypto'
import zlib from 'node:zlib'

/**
 * Node lists these as active although the process only waits: streams, timers, servers and watchers. Connections, processes
 * and threads are part of a statement.
 */
const passiveResources =
  /^(?:TTYWrap|PipeWrap|PipeServerWrap|Timeout|Immediate|TCPSocketWrap|TCPServerWrap|TLSWrap|UDPWRAP|SignalWrap|FSEventWrap|StatWatcher|MessagePort|ProcessWrap)$/

/**
 * How Node lists standard output and standard error. They don't keep a process alive. Node lists them after their first
 * use, and Node 24 always. This module loads before the program, so nothing else is active yet.
 */
const standardStreams = listStandardStreams()

function listStandardStreams(): string[] {
  // Node opens each at the first read of its property.
  const { stdout, stderr } = process
  if (!stdout && !stderr) return []
  return process.getActiveResourcesInfo().filter((name) => passiveResources.test(name))
}

/** Counts the activity of this process, without any span of real time. */
export class ProgramActivity {
  readonly #link: ClockClient
  readonly #connections: ProcessConnections
  readonly #started: StartedProcesses
  readonly #onEvent: () => void
  #work = 0
  #count = 0
  #mark = 0
  #markedEvents = 0

  /** @param onEvent called for each event. @param onBlock called before it blocks its event loop to wait for a process. */
  constructor(link: ClockClient, onEvent: () => void, onBlock: () => void) {
    this.#link = link
    const happen = (): void => {
      this.#count++
      onEvent()
    }
    this.#connections = new ProcessConnections(link.socket, happen)
    this.#started = new StartedProcesses(happen, onBlock)
    watchThreads((by) => this.countWork(by))
    this.#watchImmediates()
    this.#onEvent = onEvent
  }

  /** Counts work that begins (1) or ends (-1). */
  countWork(by: 1 | -1): void {
    this.#work += by
    this.#count++
    this.#onEvent()
  }

  /** A text that changes with each event. If it is equal before and after a turn of the event loop, nothing happens. */
  fingerprint(): string {
    return `${this.#count} ${this.#connections.bytes} ${loopEvents()}`
  }

  /** Whether it is too early for a statement, because some work will still report its end. */
  isAtWork(): boolean {
    return this.#work > 0 || this.#active().filter((name) => name === 'Immediate').length > 1
  }

  /** Whether only a timer on the clock can keep this process alive. */
  isEnding(): boolean {
    const streams = [...standardStreams]
    return this.#active().every((name) => {
      const index = streams.indexOf(name)
      if (index !== -1) streams.splice(index, 1)
      return index !== -1 || name === 'Immediate'
    })
  }

  /** The part of a statement without timers. */
  describe(): Omit<Statement, 'seen'> {
    const active = this.#active()
    const busy = active.filter((name) => !passiveResources.test(name)).map(describeResource)
    const { children } = this.#started
    const threads = this.#started.threads(active)
    return {
      mark: this.#nextMark(),
      connections: this.#connections.list(),
      ...(busy.length > 0 && { busy: [...new Set(busy)].slice(0, 10) }),
      ...(children.length > 0 && { children }),
      ...(threads.length > 0 && { threads }),
    }
  }

  /** Increases the mark if anything has happened since the previous statement, except messages of the simulator. */
  #nextMark(): number {
    const events = loopEvents() - this.#link.received() + this.#count
    if (events !== this.#markedEvents) this.#mark++
    this.#markedEvents = events
    return this.#mark
  }

  #active(): string[] {
    return process.getActiveResourcesInfo()
  }

  #watchImmediates(): void {
    for (const owner of [timers, globalThis]) {
      const native = owner.setImmediate
      const counted = (callback: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate => {
        this.#count++
        return native(callback, ...args)
      }
      owner.setImmediate = Object.assign(counted, native) as typeof setImmediate
    }
  }
}

/** How many events the event loop has handled; always 0 before Node 20.18 and 22.8. */
function loopEvents(): number {
  const { uvMetricsInfo } = performance.nodeTiming as unknown as { uvMetricsInfo?: { events: number } }
  return uvMetricsInfo?.events ?? 0
}

const resourceNames: Readonly<Record<string, string>> = {
  FSReqCallback: 'a file',
  FSReqPromise: 'a file',
  GetAddrInfoReqWrap: 'the address of a host',
  TCPConnectWrap: 'a connection',
  WriteWrap: 'a write',
  ShutdownWrap: 'the end of a connection',
}

function describeResource(name: string): string {
  return resourceNames[name] ?? name
}

type Functions = Record<string, unknown>

/**
 * Counts work of Node's threads that Node does not list as active: compression, cryptography, and the compiler of
 * WebAssembly. The first `fetch` of a process uses that compiler after it has connected. Work of native add-ons is
 * invisible.
 * @param count called with 1 when work begins, and with -1 when it ends.
 */
function watchThreads(count: (by: 1 | -1) => void): void {
  const base = Object.getPrototypeOf(zlib.Gunzip.prototype) as object
  const streams = ('_transform' in base ? base : Object.getPrototypeOf(base)) as Functions
  for (const name of ['_transform', '_flush']) countCallback(streams, name, count)
  const jobs = ['pbkdf2', 'scrypt', 'randomBytes', 'randomFill', 'hkdf', 'generateKeyPair', 'generateKey']
  for (const name of [...jobs, 'sign', 'verify', 'diffieHellman', 'checkPrime', 'generatePrime'])
    countCallback(crypto as unknown as Functions, name, count)
  const compilers = ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']
  countPromises(WebAssembly as unknown as Functions, compilers, count)
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Functions
  countPromises(subtle, Object.getOwnPropertyNames(subtle), count)
}

/** Counts work until its callback, the last argument, is called. Work without a callback ends in this turn. */
function countCallback(owner: Functions, name: string, count: (by: 1 | -1) => void): void {
  const native = owner[name]
  if (typeof native !== 'function') return
  owner[name] = function (this: unknown, ...args: unknown[]) {
    const last = args.at(-1)
    if (typeof last !== 'function') return native.apply(this, args) as unknown
    let isOver = false
    const over = (): void => {
      if (!isOver) count(-1)
      isOver = true
    }
    args[args.length - 1] = function (this: unknown, ...results: unknown[]) {
      over()
      return last.apply(this, results) as unknown
    }
    count(1)
    try {
      return native.apply(this, args) as unknown
    } catch (error) {
      over()
      throw error
    }
  }
}

function countPromises(owner: Functions, names: readonly string[], count: (by: 1 | -1) => void): void {
  for (const name of names) {
    const native = owner[name]
    if (typeof native !== 'function' || name === 'constructor') continue
    owner[name] = function (this: unknown, ...args: unknown[]) {
      const done = native.apply(this, args) as Promise<unknown>
      count(1)
      const over = (): void => count(-1)
      Promise.resolve(done).then(over, over)
      return done
    }
  }
}
