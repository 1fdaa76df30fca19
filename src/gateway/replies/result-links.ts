import type { Draws } from '../../engine/random/draws.ts'
import type { Task } from '../../engine/tasks/tasks.ts'

/**
 * Links to results that work for a while. Each response that shows a finished task has a new link. A URL that a client has built from
 * the ID of a task works until the latest poll is that long ago.
 */
export class ResultLinks {
  readonly #lifetimeMs: number | undefined
  readonly #draws: Draws

  /** @param lifetimeMs on the virtual clock; undefined for results that don't expire. */
  constructor(lifetimeMs: number | undefined, draws: Draws) {
    this.#lifetimeMs = lifetimeMs
    this.#draws = draws
  }

  /**
   * The query of a link that a response at an instant has; empty if results don't expire.
   * @param defaultMs the lifetime, unless the options set one.
   */
  queryFor(taskId: string, now: number, defaultMs?: number): string {
    const lifetimeMs = this.#lifetimeMs ?? defaultMs
    if (lifetimeMs === undefined) return ''
    const expires = now + lifetimeMs
    return `?until=${expires}&token=${this.#tokenFor(taskId, expires)}`
  }

  /**
   * Whether the link by which a request came, or the URL that its client has built, works no more.
   * @param defaultMs as for {@link queryFor}.
   */
  isExpired(
    { query, now }: { readonly query: string; readonly now: number },
    { record, lastLook }: Task,
    finishedAt: number,
    defaultMs?: number,
  ): boolean {
    const lifetimeMs = this.#lifetimeMs ?? defaultMs
    if (lifetimeMs === undefined) return false
    const fields = new URLSearchParams(query)
    const token = fields.get('token')
    if (token === null) return now >= Math.max(finishedAt, lastLook) + lifetimeMs
    const expires = Number(fields.get('until'))
    return token !== this.#tokenFor(record.id, expires) || now >= expires
  }

  /** No protection: it only makes clients use the link as they got it. */
  #tokenFor(taskId: string, expires: number): string {
    return this.#draws.text('0123456789abcdef', 16, 'result.link', taskId, expires)
  }
}
