import type { Answer } from './call.ts'

/** A reply with status and headers of its own. */
export class ReplyAnswer implements Answer {
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
