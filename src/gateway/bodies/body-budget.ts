import { abortError } from '../replies/errors.ts'

/** How many bytes of bodies are in memory at a time, those of all requests together. */
export class BodyBudget {
  readonly #maxBytes: number
  #heldBytes = 0

  /** @param maxBytes how many there may be. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What one request holds. Give it back when its body is parsed. */
  forOne(): BodyReservation {
    let ownBytes = 0
    return {
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#maxBytes) throw full(this.#maxBytes)
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
export interface BodyReservation {
  /** @throws {GatewayError} 503 where there is no room for so many more. */
  readonly take: (bytes: number) => void
  readonly giveBack: () => void
}

/** @assumed §8 the answer to a full memory is not documented; wire §2.2, the row “Server overloaded”. */
function full(maxBytes: number): Error {
  const megabytes = maxBytes / 1024 / 1024
  return abortError(
    503,
    `bodies of more than ${megabytes} MB are being read already; try again later`,
    'system_memory_overloaded',
  )
}
