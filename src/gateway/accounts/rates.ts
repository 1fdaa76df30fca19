import { Changes } from '../../engine/tasks/changes.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { abortError, GatewayError } from '../replies/errors.ts'

/**
 * How many requests a key may make in a time.
 *
 * @example
 * const rate: RateOptions = { requests: 1, per: '30s', headers: true }
 * await using sim = createSimulator({ limits: { rate } })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.ask('Why do kites fly?')
 * await client.ask('Why do they fall?') // throws Error: 429: You have reached the request limit: …
 */
export interface RateOptions {
  /** The maximum in each window; one more is refused with 429. */
  requests: number
  /** The length of the window, on the namespace's clock; it opens with a key's first request. Default `1m`. */
  per?: string | number
  /** Whether a refusal says why and when to come back; otherwise it is a bare 429, as the gateway's. Default true. */
  retryAfter?: boolean
  /** Whether answers carry `x-ratelimit-*`. Default false. */
  headers?: boolean
}

/** How many requests a key has made since its window opened. */
export interface RateWindow {
  opened: number
  count: number
}

/** The number of keys in a namespace whose windows are tracked. */
const maxKeys = 10_000

/**
 * Counts requests by key in windows of the virtual clock.
 * @assumed §8 rate limits are not documented; wire §2.3: only texts are limited, and nothing unless it is configured.
 */
export class Rates {
  readonly #options: RateOptions | undefined
  readonly #perMs: number
  readonly #windows = new Map<string, BoundedMap<RateWindow>>()
  readonly #changes: Changes

  /** @param changes records every window that changes. @throws {DurationError} for an invalid window length. */
  constructor(options?: RateOptions, changes: Changes = new Changes()) {
    this.#changes = changes
    this.#options = options
    this.#perMs = parseDuration(options?.per ?? '1m')
  }

  /**
   * Counts one request.
   * @returns the rate headers, if the option asks for them.
   * @throws {GatewayError} 429 when the window is full.
   */
  take(namespace: string, credential: string, now: number): Readonly<Record<string, string>> | undefined {
    if (!this.#options) return undefined
    const { requests, headers = false } = this.#options
    const name = hashApiKey(credential)
    const window = this.#windowOf(namespace, name, now)
    this.#changes.note('rate', namespace, name)
    const leftMs = window.opened + this.#perMs - now
    const full = window.count >= requests
    if (!full) window.count++
    const sent = headers ? rateHeaders(requests, requests - window.count, leftMs) : undefined
    if (full) throw this.#refusal(leftMs, sent)
    return sent
  }

  /** Resets the windows of a namespace. */
  forget(namespace: string): void {
    this.#windows.delete(namespace)
  }

  window(namespace: string, name: string): RateWindow | undefined {
    return this.#windows.get(namespace)?.get(name)
  }

  /** Continues from a stored window. */
  restoreWindow(namespace: string, name: string, { opened, count }: RateWindow): void {
    this.#windowOf(namespace, name, opened).count = count
  }

  /** All windows: namespaces with hashed keys. */
  *all(): Generator<[namespace: string, name: string]> {
    for (const [namespace, windows] of this.#windows)
      for (const name of windows.keys()) yield [namespace, name]
  }

  #windowOf(namespace: string, name: string, now: number): RateWindow {
    let windows = this.#windows.get(namespace)
    if (!windows) {
      windows = new BoundedMap(maxKeys, (key) => this.#changes.note('rate', namespace, key))
      this.#windows.set(namespace, windows)
    }
    const known = windows.get(name)
    if (known && now < known.opened + this.#perMs) return known
    const window = { opened: now, count: 0 }
    windows.delete(name)
    windows.set(name, window)
    return window
  }

  #refusal(leftMs: number, headers: Readonly<Record<string, string>> = {}): GatewayError {
    const { requests, retryAfter = true } = this.#options!
    const message = `You have reached the request limit: at most ${requests} in ${formatDuration(this.#perMs)}`
    if (!retryAfter) return new GatewayError(429, message, () => null, headers)
    const seconds = String(Math.ceil(leftMs / 1000))
    return abortError(429, message).withHeaders({ ...headers, 'Retry-After': seconds })
  }
}

/** @assumed §8 rate headers are not documented; wire §1.3. */
function rateHeaders(limit: number, left: number, resetMs: number): Readonly<Record<string, string>> {
  return {
    'X-RateLimit-Limit-Requests': String(limit),
    'X-RateLimit-Remaining-Requests': String(left),
    'X-RateLimit-Reset-Requests': formatDuration(resetMs),
  }
}
