import { formatDuration } from '../../engine/clock/duration.ts'
import { startTimeout, type Timeout } from './timeout.ts'
import type { Settings } from './settings.ts'
import { DeadlineExceeded, TransportError, isRetryable, Refused, retryAfterMs } from './errors.ts'

/** What the client is given to live in. */
export interface DriveParts {
  readonly fetch: typeof fetch
  /** What every path stands behind, such as `http://127.0.0.1:4646`. */
  readonly url: string
  readonly key: string
  /** Waits on the clock of the gateway. Whoever sleeps at the same time as others has a name of its own. */
  readonly sleep: (durationMs: number, options: { as: string; signal?: AbortSignal }) => Promise<unknown>
  /** The instant on that clock, in milliseconds since 1970. */
  readonly now: () => number
  /** Says that somebody is at work under a name from now on, until the result is called. */
  readonly join?: (as: string) => () => void
}

export interface CallInit {
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How the same is tried again: the first wait, the longest, and how often. */
export interface Retrying {
  readonly firstMs: number
  readonly maxMs: number
  readonly retries: number
}

/** Everything a task's client sends goes through here: one key, patience, and waits between tries. */
export class ApiClient {
  readonly name: string
  readonly settings: Settings
  /** When the client has waited long enough for the whole. */
  readonly deadline: number
  readonly #parts: DriveParts
  readonly #headers: Readonly<Record<string, string>>

  /** @param keyHeader the header that carries the key; `authorization` takes it behind `Bearer`. */
  constructor(parts: DriveParts, settings: Settings, more: { name: string; keyHeader?: string }) {
    const { name, keyHeader = 'authorization' } = more
    this.#parts = parts
    this.settings = settings
    this.name = name
    this.#headers = {
      [keyHeader]: keyHeader === 'authorization' ? `Bearer ${parts.key}` : parts.key,
      // Where several share a clock, it must know who waits for an answer.
      ...(parts.join ? { 'x-greenroom-as': name } : {}),
    }
    this.deadline = parts.now() + settings.giveUpAfterMs
  }

  /** Waits. @throws {DeadlineExceeded} where that takes longer than the client waits at all. */
  async sleep(durationMs: number): Promise<void> {
    if (this.#parts.now() + durationMs >= this.deadline) {
      throw new DeadlineExceeded(`gave up after ${formatDuration(this.settings.giveUpAfterMs)}`)
    }
    await this.#parts.sleep(durationMs, { as: this.name })
  }

  /**
   * Asks once, and reads the answer.
   * @throws {Refused} {Lost} for an answer that says no, and for none.
   */
  async json(path: string, init: CallInit = {}): Promise<Record<string, unknown>> {
    const text = await this.open(path, init, (response) => response.text())
    try {
      const value = JSON.parse(text) as unknown
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    } catch {
      // Told below, as for any other answer that is no object.
    }
    throw new TransportError(`the answer is no JSON object: ${text.slice(0, 60)}`)
  }

  /**
   * Asks once, and hands over the answer to be read while the client has patience.
   * @throws {Refused} {Lost} as {@link json} does.
   */
  async open<T>(
    path: string,
    { method = 'GET', body, headers }: CallInit,
    read: (response: Response, patient: Timeout) => Promise<T>,
  ): Promise<T> {
    const patient = startTimeout(this.settings.timeoutMs, (durationMs, signal) =>
      this.#parts.sleep(durationMs, { as: this.name, signal }),
    )
    try {
      const response = await this.#parts.fetch(this.#parts.url + path, {
        method,
        headers: {
          ...this.#headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: patient.signal,
      })
      if (response.status >= 400) throw await this.#refusal(response)
      return await read(response, patient)
    } catch (error) {
      throw asTrouble(error)
    } finally {
      patient.end()
    }
  }

  /**
   * Tries until it works. Each wait is at least as long as the one before and as what the gateway asks for, and
   * without chance in it: a run can be repeated.
   */
  async retrying<T>(attempt: () => Promise<T>, { firstMs, maxMs, retries }: Retrying): Promise<T> {
    let waitMs = 0
    for (let tries = 0; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (!isRetryable(error) || tries >= retries) throw error
        const asked = error instanceof Refused ? (error.retryAfterMs ?? 0) : 0
        waitMs = Math.max(waitMs, asked, Math.min(firstMs * 2 ** tries, maxMs))
        await this.sleep(waitMs)
      }
    }
  }

  /** Tries what isn't a poll: from a second up to half a minute apart. */
  trying<T>(attempt: () => Promise<T>): Promise<T> {
    return this.retrying(attempt, { firstMs: 1_000, maxMs: 30_000, retries: this.settings.retries })
  }

  async #refusal(response: Response): Promise<Refused> {
    const text = await response.text().catch(() => '')
    const asked = retryAfterMs(response.headers.get('retry-after'), this.#parts.now())
    return new Refused(`${response.status} ${messageIn(text)}`, {
      status: response.status,
      retryAfterMs: asked,
    })
  }
}

/** Whatever goes wrong on the way is an answer that was lost. */
function asTrouble(error: unknown): unknown {
  if (error instanceof TransportError || error instanceof Refused) return error
  const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: { code?: string } }
  return new TransportError(cause?.code === undefined ? message : `${message}: ${cause.code}`, {
    cause: error,
  })
}

/** What an error says, in whichever envelope. */
function messageIn(text: string): string {
  try {
    const { error, message, description } = JSON.parse(text) as Record<string, unknown>
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
    const said = [inner['message'], error, message, description].find((each) => typeof each === 'string')
    return String(said ?? text).slice(0, 200)
  } catch {
    return text.slice(0, 200)
  }
}
