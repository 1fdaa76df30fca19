import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import type { Statement } from '../../engine/clock/agents/agents.ts'
import type { ClockClient } from './clock-client.ts'
import { StartedProcesses } from './children.ts'
import { ProcessConnections } from './connections.ts'
import { watchThreads } from './threads.ts'

/**
 * What Node lists as active although the process only waits: streams, timers, servers and watchers, and what a statement lists: connections,
 * processes and threads.
 */
const passiveResources =
  /^(?:TTYWrap|PipeWrap|PipeServerWrap|Timeout|Immediate|TCPSocketWrap|TCPServerWrap|TLSWrap|UDPWRAP|SignalWrap|FSEventWrap|StatWatcher|MessagePort|ProcessWrap)$/

/**
 * What Node lists for standard output and standard error. They keep no process alive, but Node lists them from their first
 * use on, and Node 24 always. This module loads before the program, so nothing else is active yet.
 */
const standardStreams = listStandardStreams()

function listStandardStreams(): string[] {
  // Node opens each at the first read of its property.
  const { stdout, stderr } = process
  if (!stdout && !stderr) return []
  return process.getActiveResourcesInfo().filter((name) => passiveResources.test(name))
}

/** What this process does, as far as it can be counted: never by a span of real time. */
export class Activity {
  readonly #link: ClockClient
  readonly #connections: ProcessConnections
  readonly #started: StartedProcesses
  readonly #onEvent: () => void
  #work = 0
  #count = 0
  #mark = 0
  #markedEvents = 0

  /** @param onEvent called when something happens. @param onBlock called before it waits for a process without a turn of its event loop. */
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

  /** Changes whenever something happens: the same before and after a turn of the event loop, nothing does. */
  fingerprint(): string {
    return `${this.#count} ${this.#connections.bytes} ${loopEvents()}`
  }

  /** Whether it is too early for a statement: work is under way that reports its end. */
  isAtWork(): boolean {
    return this.#work > 0 || this.#active().filter((name) => name === 'Immediate').length > 1
  }

  /** Whether nothing can keep this process alive but a timer on the clock. */
  isEnding(): boolean {
    const streams = [...standardStreams]
    return this.#active().every((name) => {
      const index = streams.indexOf(name)
      if (index !== -1) streams.splice(index, 1)
      return index !== -1 || name === 'Immediate'
    })
  }

  /** The part of a statement that is not about timers. */
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

  /** Grows if anything has happened since the statement before that was not a message of the simulator. */
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
