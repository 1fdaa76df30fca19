import type { ServerResponse } from 'node:http'
import type { Clock } from '../../engine/clock/clock.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { flushed } from './http-write.ts'
import { PeerQueue } from './http-peer-queue.ts'

/** How long a client may take to read a segment. After that, the next one follows in any case. */
export const maxReadMs = 2_000
/** How long the clock stands still meanwhile: a client may sleep on the clock before it reads. */
const maxHeldMs = 500
/** Asking the kernel takes some 50 ms each time, so after so many segments a turn of the event loop has to do. */
export const maxWatchedSegments = 20
/** The pause behind a segment if the kernel does not tell what the client has read. */
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
  #queue: PeerQueue | undefined
  #count = 0
  #isCertain = true

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response
    this.#clock = clock
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

  /** Ends a segment: resolves when the client has read it, has left, or does not read for two seconds. */
  async end(): Promise<void> {
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
  return new Promise((resolve) => {
    if (delayMs === 0) hostTimers.setImmediate(resolve)
    else hostTimers.setTimeout(resolve, delayMs)
  })
}
