import type { Reply } from './reply.ts'

/** Who was told to come again later and never did is forgotten in favour of others. */
const mostRemembered = 1_000

/**
 * When clients that were refused may ask again, by request: for a clock that takes them to have waited so long.
 */
export class Comebacks {
  readonly #due = new Map<string, number>()

  /** Notes what an answer says of coming again, if it does. */
  note(request: string, reply: Reply, now: number): void {
    const waitMs = retryAfterMs(reply, now)
    if (waitMs === undefined) return
    this.#due.set(request, now + waitMs)
    if (this.#due.size > mostRemembered) this.#due.delete(this.#due.keys().next().value!)
  }

  /** When this request was to be made again; undefined when it wasn't, or has been. */
  take(request: string): number | undefined {
    if (this.#due.size === 0) return undefined
    const due = this.#due.get(request)
    this.#due.delete(request)
    return due
  }

  clear(): void {
    this.#due.clear()
  }
}

/** How long an answer asks its client to wait: the header's whole seconds, or the time until its date. */
export function retryAfterMs({ headers }: Pick<Reply, 'headers'>, now: number): number | undefined {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'retry-after')
  const text = name === undefined ? undefined : String(headers[name])
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
