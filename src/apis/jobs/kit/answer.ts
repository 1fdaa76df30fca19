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
