import { abortError } from '../replies/errors.ts'

/** How many bytes of bodies are in memory at a time, those of all requests together. */
export class BodyRoom {
  readonly #mostBytes: number
  #heldBytes = 0

  /** @param mostBytes how many there may be. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** What one request holds. Give it back when its body is parsed. */
  forOne(): HeldBody {
    let ownBytes = 0
    return {
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#mostBytes) throw full(this.#mostBytes)
        this.#heldBytes += bytes
        ownBytes += bytes
      },
      giveBack: () => {
        this.#heldBytes -= ownBytes
        ownBytes = 0
      },
    }
  }

  get heldBytes(): number {
    return this.#heldBytes
  }
}

/** The room that a body takes. */
export interface HeldBody {
  /** @throws {GatewayError} 503 where there is no room for so many more. */
  readonly take: (bytes: number) => void
  readonly giveBack: () => void
}

/** @assumed §8 the answer to a full memory is not shown; wire §2.2, the row “Server overloaded”. */
function full(mostBytes: number): Error {
  const megabytes = mostBytes / 1024 / 1024
  return abortError(
    503,
    `bodies of more than ${megabytes} MB are being read already; try again later`,
    'system_memory_overloaded',
  )
}
