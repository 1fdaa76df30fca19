import type { StreamMessage } from './stream-events.ts'

/** How many characters a reader may leave unread. */
export const maxUnread = 8 * 1024 * 1024

/** The messages of one reader. The first ones are written only as fast as they are read. */
export class EventReader {
  readonly #onClose: () => void
  readonly #cutOff = new AbortController()
  #beginning: Iterator<StreamMessage>
  #queue: StreamMessage[] = []
  #unread = 0
  #wake = (): void => {}
  #isClosed = false

  constructor(beginning: Iterator<StreamMessage>, onClose: () => void) {
    this.#beginning = beginning
    this.#onClose = onClose
  }

  /** Aborted when the reader has left too much unread. */
  get cutOff(): AbortSignal {
    return this.#cutOff.signal
  }

  /** Adds a message. A reader that leaves too much unread is cut off, so that it can't fill the memory. */
  push(message: StreamMessage): void {
    if (this.#isClosed) return
    this.#unread += message.json.length
    this.#queue.push(message)
    if (this.#unread > maxUnread) {
      this.close()
      this.#cutOff.abort()
    }
    this.#wake()
  }

  /** Drops unread messages and starts over. */
  restart(beginning: Iterator<StreamMessage>): void {
    this.#beginning = beginning
    this.#queue = []
    this.#unread = 0
    this.#wake()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#queue = []
    this.#onClose()
    this.#wake()
  }

  /** @throws {Error} if the reader was cut off. */
  async next(): Promise<StreamMessage | undefined> {
    for (;;) {
      if (this.cutOff.aborted)
        throw new Error(`More than ${maxUnread} characters were left unread. Connect again.`)
      if (this.#isClosed) return undefined
      const { value } = this.#beginning.next() as IteratorResult<StreamMessage, undefined>
      const message = value ?? this.#queue.shift()
      if (message) {
        if (value === undefined) this.#unread -= message.json.length
        return message
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
