import type { Inserts } from '../../engine/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { MediaSpec } from '../../media/spec.ts'

/** The images of a response, each with a mark in its text that becomes base64 when the response is sent. */
export class ImageMarks {
  readonly #media = new Map<string, MediaSpec>()
  readonly #name: string

  constructor({ identity }: Exchange) {
    this.#name = `image-${identity}`
  }

  /** @returns the mark. */
  add(spec: MediaSpec): string {
    // The end of the mark is not a digit, so no mark is the beginning of another.
    const mark = `${this.#name}-${this.#media.size}-`
    this.#media.set(mark, spec)
    return mark
  }

  /** @param failed the body of the response if an image can't be painted. */
  inserts(failed: unknown): Inserts<MediaSpec> {
    return { media: this.#media, failed: { status: 500, body: JSON.stringify(failed) } }
  }
}
