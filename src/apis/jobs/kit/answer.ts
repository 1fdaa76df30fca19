import type { MediaBody } from '../../../gateway/replies/reply.ts'
import type { MediaSpec } from '../../../media/spec.ts'

/**
 * A reply with another status than that of its operation, or with headers. Functions make it by `answer`.
 *
 * @example
 * const accepted: Answer = answer(202, { status: 'CANCELLATION_REQUESTED' })
 * accepted.status // → 202
 */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>>) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Media of the simulator as a body, of which the client may request a part. */
export class SentMedia {
  readonly spec: MediaSpec
  readonly failed: MediaBody['failed']

  /** @param failed the response if they can't be made. */
  constructor(spec: MediaSpec, failed: MediaBody['failed']) {
    this.spec = spec
    this.failed = failed
  }
}

/** A body in JSON that is written already: with indents, or in parts. */
export class WrittenJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
