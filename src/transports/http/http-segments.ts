import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { RequestWork } from '../../gateway/request.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { flushed } from './http-write.ts'

/** How long a client may take to read a segment from the kernel's buffers. After that, the next one follows. */
export const maxReadMs = 2_000
/** How long the clock stands still meanwhile: a client may sleep on the clock before it reads. */
const maxHeldMs = 500
/** Reading the kernel's table takes some 50 ms, so after this many segments a turn of the event loop has to do. */
export const maxWatchedSegments = 20
/** The pause after a segment if the kernel does not tell what the client has read. */
const blindPauseMs = 10
/** How long a client gets to act on what it has read. */
const reactionMs = 1

/**
 * The segments of a response. TCP joins what arrives before the client reads, however it was written. So the next
 * segment is sent only when the client has read the one before.
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

  /** Whether every segment was read before the next one was sent, as far as that was watched. */
  get isCertain(): boolean {
    return this.#isCertain
  }

  /**
   * Lets participants of the clock read what was written, before time moves on to what follows. What their runtime has
   * read ahead counts as read.
   */
  async waitForReader(): Promise<void> {
    await this.#held(async () => {
      await flushed(this.#response)
      const { socket } = this.#response
      if (!socket || socket.destroyed) return
      this.#queue ??= new PeerQueue(socket)
      await untilRead(this.#queue, () => socket.destroyed, { isStrict: false })
      await pause(reactionMs)
    })
  }

  /**
   * Ends a segment: resolves when the client has read it, has left, or leaves it in the kernel's buffers for two seconds. What
   * does not fit into them waits for the client without limit, as in any other body.
   */
  async end(): Promise<void> {
    if (await this.#work?.takeTurn(this.#clock)) return
    await this.#held(async () => {
      await flushed(this.#response)
      const { socket } = this.#response
      if (!socket || socket.destroyed) return
      socket.setNoDelay(true)
      if (++this.#count > maxWatchedSegments) return pause(0)
      if (this.#isCertain) {
        this.#queue ??= new PeerQueue(socket)
        this.#isCertain = await untilRead(this.#queue, () => socket.destroyed, { isStrict: true })
      }
      if (!this.#isCertain) await pause(blindPauseMs)
    })
  }

  /** Keeps the clock still for a while: the client is about to read, and may act on it. */
  async #held(work: () => Promise<void>): Promise<void> {
    let release: (() => void) | undefined = this.#clock.auto.whileReading()
    const letGo = (): void => {
      release?.()
      release = undefined
    }
    const timer = hostTimers.setTimeout(letGo, maxHeldMs)
    try {
      await work()
    } finally {
      hostTimers.clearTimeout(timer)
      letGo()
    }
  }
}

/** @returns whether the client has read everything; false if it did not, or the kernel does not tell. */
async function untilRead(
  queue: PeerQueue,
  hasLeft: () => boolean,
  { isStrict }: { isStrict: boolean },
): Promise<boolean> {
  const startedMs = hostTimers.elapsedMs()
  queue.reset()
  for (let delayMs = 0; ; delayMs = Math.min(20, delayMs + 1)) {
    await pause(delayMs)
    const isEmpty = await queue.isEmpty({ isStrict })
    if (isEmpty || hasLeft()) return true
    if (isEmpty === undefined || hostTimers.elapsedMs() - startedMs > maxReadMs) return false
  }
}

function pause(delayMs: number): Promise<void> {
  return delayMs === 0 ? nextTurn() : new Promise((resolve) => hostTimers.setTimeout(resolve, delayMs))
}

/** The connections of this machine, as Linux lists them. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const

/**
 * What the client of a connection has not read yet. Linux shows the queues of both ends of a connection within one
 * machine; nothing shows them for a client on another machine, in another container, or on another system.
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
   * @param options.isStrict whether that must be certain. It takes until the client's system has acknowledged the bytes,
   * some 40 ms; otherwise bytes that are on their way for microseconds may be missed.
   * @returns undefined if the system does not tell.
   */
  async isEmpty({ isStrict }: { isStrict: boolean }): Promise<boolean | undefined> {
    let sent: Row | undefined
    let received: Row | undefined
    let text = ''
    for (const table of tables) {
      // One text, so that positions in it say which row the kernel wrote first.
      text += await readTable(table)
      sent = findRow(text, this.#own, this.#peer)
      received = findRow(text, this.#peer, this.#own)
      if (sent && received) break
    }
    if (!sent || !received) return undefined
    const hasArrived = sent.sendQueue === 0
    // A queue that was looked at before the bytes arrived is empty too early.
    const isEmpty =
      received.receiveQueue === 0 &&
      (!isStrict || this.#isAcknowledged || (hasArrived && sent.at < received.at))
    this.#isAcknowledged = hasArrived
    return isEmpty
  }

  /** Forgets what has arrived: more was written. */
  reset(): void {
    this.#isAcknowledged = false
  }
}

/** Reads in progress, and those that begin after them: a read takes milliseconds, so callers share it. */
const running = new Map<string, Promise<string>>()
const following = new Map<string, Promise<string>>()

/** Reads a table from now on; several callers share one read. */
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

/** How the kernel writes an address: in words of 32 bits, each in the machine's byte order. */
export function formatEndpoint(address: string, port: number): readonly string[] {
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
