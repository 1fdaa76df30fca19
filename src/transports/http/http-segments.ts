import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { RequestWork } from '../../gateway/request.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { whenFlushed } from './http-write.ts'

/** How long a client may take to read a segment from the kernel's buffers. Then the next segment follows anyway. */
export const maxReadMs = 2_000
/** How long the clock pauses for that. A client may sleep on the clock before it reads, so the pause is bounded. */
const maxHeldMs = 500
/** After this many segments, one turn of the event loop must suffice: reading the kernel's table takes some 50 ms. */
export const maxWatchedSegments = 20
/** The pause after a segment if the kernel doesn't report what the client has read. */
const blindPauseMs = 10
/** How long a client may react to what it has read. */
const reactionMs = 1

/**
 * Sends the segments of a response. TCP joins bytes that arrive before the client reads, so each segment is sent only after
 * the client has read the previous one.
 */
export class Segments {
  readonly #response: ServerResponse
  readonly #clock: Clock
  readonly #work: RequestWork | undefined
  #queue: PeerQueue | undefined
  #count = 0
  #isCertain = true

  constructor(response: ServerResponse, { clock, request }: Exchange) {
    this.#response = response
    this.#clock = clock
    this.#work = request.work
  }

  /** Whether every segment was verifiably read before the next one was sent. */
  get isCertain(): boolean {
    return this.#isCertain
  }

  /**
   * Lets participants of the clock read the written bytes before time moves on. Bytes in the read-ahead of their runtime
   * count as read.
   */
  async waitForReader(): Promise<void> {
    await this.#holdClock(async (socket) => {
      await this.#untilRead(socket, { isStrict: false })
      await pause(reactionMs)
    })
  }

  /**
   * Ends a segment. Resolves when the client has read it, has left, or leaves it in the kernel's buffers for two seconds.
   * Bytes beyond these buffers wait for the client without limit, as in any other body.
   */
  async end(): Promise<void> {
    if (await this.#work?.takeTurn(this.#clock)) return
    await this.#holdClock(async (socket) => {
      socket.setNoDelay(true)
      if (++this.#count > maxWatchedSegments) return pause(0)
      this.#isCertain &&= await this.#untilRead(socket, { isStrict: true })
      if (!this.#isCertain) await pause(blindPauseMs)
    })
  }

  /** @returns whether the client has read everything; false if not, or if the kernel does not report it. */
  async #untilRead(socket: Socket, options: { isStrict: boolean }): Promise<boolean> {
    const queue = (this.#queue ??= new PeerQueue(socket))
    const startedMs = hostTimers.elapsedMs()
    queue.reset()
    for (let delayMs = 0; ; delayMs = Math.min(20, delayMs + 1)) {
      await pause(delayMs)
      const isEmpty = await queue.isEmpty(options)
      if (isEmpty || socket.destroyed) return true
      if (isEmpty === undefined || hostTimers.elapsedMs() - startedMs > maxReadMs) return false
    }
  }

  /**
   * Works when all is flushed, unless the client has left. Pauses the clock for a while: the client is about to read, and
   * may react.
   */
  async #holdClock(work: (socket: Socket) => Promise<void>): Promise<void> {
    let release: (() => void) | undefined = this.#clock.auto.whileReading()
    const letGo = (): void => {
      release?.()
      release = undefined
    }
    const timer = hostTimers.setTimeout(letGo, maxHeldMs)
    try {
      await whenFlushed(this.#response)
      const { socket } = this.#response
      if (socket && !socket.destroyed) await work(socket)
    } finally {
      hostTimers.clearTimeout(timer)
      letGo()
    }
  }
}

function pause(delayMs: number): Promise<void> {
  return delayMs === 0 ? nextTurn() : new Promise((resolve) => hostTimers.setTimeout(resolve, delayMs))
}

/** The kernel's tables of connections, on Linux. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const

/**
 * The bytes that the client of a connection has not read yet. Node says when the kernel has taken the bytes, not when the client has
 * read them, and other systems have no call for that either. Without it, `drip`, `cut` and `slow-start` would not be exact to the
 * byte when the machine stops a process: two segments would reach the client as one. Linux lists the queues of both ends if both are
 * on this machine. For a client on another machine, in another container or on another system, nothing does.
 */
export class PeerQueue {
  readonly #own: readonly string[]
  readonly #peer: readonly string[]
  #isAcknowledged = false

  constructor({ localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 }: Socket) {
    this.#own = formatEndpoint(localAddress, localPort)
    this.#peer = formatEndpoint(remoteAddress, remotePort)
  }

  /**
   * Whether the client has read everything that was written before this call.
   * @param options.isStrict whether the answer must be certain. Then it waits some 40 ms until the client's system has
   * acknowledged the bytes. Otherwise it may miss bytes that are in transit for microseconds.
   * @returns undefined if the system does not report it.
   */
  async isEmpty({ isStrict }: { isStrict: boolean }): Promise<boolean | undefined> {
    let sent: Row | undefined
    let received: Row | undefined
    let text = ''
    for (const table of tables) {
      // Joined, so that positions in it show which row the kernel wrote first.
      text += await readTable(table)
      sent = findRow(text, this.#own, this.#peer)
      received = findRow(text, this.#peer, this.#own)
      if (sent && received) break
    }
    if (!sent || !received) return undefined
    const hasArrived = sent.sendQueue === 0
    // A queue that was read before the bytes arrived only seems empty.
    const isEmpty =
      received.receiveQueue === 0 &&
      (!isStrict || this.#isAcknowledged || (hasArrived && sent.at < received.at))
    this.#isAcknowledged = hasArrived
    return isEmpty
  }

  /** Forgets which bytes have arrived: more were written. */
  reset(): void {
    this.#isAcknowledged = false
  }
}

/** Reads in progress and reads queued after them. A read takes milliseconds, so callers share it. */
const running = new Map<string, Promise<string>>()
const following = new Map<string, Promise<string>>()

/** Reads a table from now on. Several callers share one read. */
function readTable(table: string): Promise<string> {
  const current = running.get(table)
  if (!current) return startRead(table)
  const next =
    following.get(table) ??
    current.then(() => {
      following.delete(table)
      return startRead(table)
    })
  following.set(table, next)
  return next
}

function startRead(table: string): Promise<string> {
  const read = readFile(table, 'latin1')
    .catch(() => '')
    .finally(() => running.delete(table))
  running.set(table, read)
  return read
}

interface Row {
  readonly at: number
  readonly sendQueue: number
  readonly receiveQueue: number
}

/** The row of a socket: `local remote state sendQueue:receiveQueue`, in hexadecimal. */
function findRow(text: string, local: readonly string[], remote: readonly string[]): Row | undefined {
  for (const from of local) {
    for (const to of remote) {
      const pair = ` ${from} ${to} `
      const at = text.indexOf(pair)
      if (at < 0) continue
      const [, queues = ''] = text.slice(at + pair.length, at + pair.length + 20).split(' ')
      const [sendQueue = NaN, receiveQueue = NaN] = queues.split(':').map((size) => Number.parseInt(size, 16))
      return { at, sendQueue, receiveQueue }
    }
  }
  return undefined
}

/** Formats an address as the kernel does: in words of 32 bits, each in the machine's byte order. */
function formatEndpoint(address: string, port: number): readonly string[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  const suffix = `:${port.toString(16).padStart(4, '0').toUpperCase()}`
  if (!isIPv4(plain)) return [formatWords(parseIPv6(plain)) + suffix]
  const bytes = plain.split('.').map(Number)
  // Either end may use an IPv6 socket for an IPv4 address.
  const mapped = [...Array<number>(10).fill(0), 0xff, 0xff, ...bytes]
  return [formatWords(bytes) + suffix, formatWords(mapped) + suffix]
}

function parseIPv6(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const first = groupsOf(head)
  const last = groupsOf(tail)
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

function formatWords(bytes: readonly number[]): string {
  const isLittle = endianness() === 'LE'
  let text = ''
  for (let start = 0; start < bytes.length; start += 4) {
    const word = bytes.slice(start, start + 4)
    if (isLittle) word.reverse()
    text += word.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  return text.toUpperCase()
}
