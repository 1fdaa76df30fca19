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

/** A body in JSON that is written already: with indents, or in parts. */
export class WrittenJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
