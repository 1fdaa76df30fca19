import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import {
  DeadlineExceeded,
  Refused,
  TimedOut,
  TransportError,
  isRetryable,
  parseRetryAfterMs,
} from './errors.ts'
import { optionDefaults } from '../../scenario/vocabulary/defaults.ts'
import type { DriveStep, Flow, Verification } from '../../scenario/vocabulary/types.ts'

/** The gateway that a client calls, and the clock on which it waits. */
export interface DriveContext {
  readonly fetch: typeof fetch
  /** The base URL, such as `http://127.0.0.1:4646`. */
  readonly url: string
  readonly key: string
  /** The option `apis` of the gateway, for steps with one of these APIs. */
  readonly apis?: unknown
  /** Waits on the gateway's clock. Clients that sleep at the same time need different names. */
  readonly sleep: (durationMs: number, options: { as: string; signal?: AbortSignal }) => Promise<unknown>
  /** The current instant on that clock, in milliseconds since 1970. */
  readonly now: () => number
  /** The instant at which a task changes next, `Infinity` if none does. A real gateway does not tell. */
  readonly nextChange?: () => number
  /** Registers a participant of the clock. @returns a function that removes it. */
  readonly join?: (as: string) => () => void
}

interface CallInit {
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Waits start at `firstMs` and double up to `maxMs`. */
interface RetryPolicy {
  readonly firstMs: number
  readonly maxMs: number
  readonly retries: number
  /** Whether an error is temporary, so that a retry may help. */
  readonly canRetry: (error: unknown) => boolean
}

/** How often the reference client waits for one task. A task that outlasts centuries must not be polled every 5 seconds. */
export const maxWaits = 20_000

/** After this many waits, the client checks once whether the remaining ones can reach the end of the task. */
const patientWaits = 500

/** Sends all requests for one task: one key, a timeout for each request, and waits between retries. */
export class ApiClient {
  readonly settings: StepSettings
  readonly #context: DriveContext
  readonly #name: string
  readonly #deadline: number
  #waits = 0
  readonly #headers: Readonly<Record<string, string>>

  /** @param keyHeader the header with the key. In `authorization`, `Bearer` precedes it. */
  constructor(context: DriveContext, settings: StepSettings, options: { name: string; keyHeader: string }) {
    const { name, keyHeader } = options
    this.#context = context
    this.settings = settings
    this.#name = name
    this.#headers = {
      [keyHeader]: keyHeader === 'authorization' ? `Bearer ${context.key}` : context.key,
      // With participants, the clock must know which of them waits for a response.
      ...(context.join ? { 'x-greenroom-as': name } : {}),
    }
    this.#deadline = context.now() + settings.giveUpAfterMs
  }

  /** @throws {DeadlineExceeded} if the wait would end after the deadline of the task, or is one too many. */
  async sleep(durationMs: number): Promise<void> {
    if (this.#context.now() + durationMs >= this.#deadline) {
      throw new DeadlineExceeded(`gave up after ${formatDuration(this.settings.giveUpAfterMs)}`)
    }
    this.#waits++
    if (this.#waits > maxWaits || (this.#waits === patientWaits && this.#isHopeless(durationMs)))
      throw new DeadlineExceeded(
        `gave up after ${this.#waits - 1} waits, because ${maxWaits} waits of ${formatDuration(durationMs)} don't reach ` +
          'the end of the task. Set a longer pollEvery or a shorter giveUpAfter, or shorten what the task takes',
      )
    await this.#context.sleep(durationMs, { as: this.#name })
  }

  /** Whether the remaining waits reach neither the next change of the task nor its deadline. */
  #isHopeless(durationMs: number): boolean {
    const { now, nextChange } = this.#context
    const reachable = now() + durationMs * (maxWaits - this.#waits)
    return this.#deadline > reachable && nextChange !== undefined && nextChange() > reachable
  }

  /**
   * Sends one request and parses the response as a JSON object.
   * @throws {Refused} {TransportError} for an error status, and for a response that is missing or unreadable.
   */
  async json(path: string, init: CallInit = {}): Promise<Record<string, unknown>> {
    const text = await this.open(path, init, (response) => response.text())
    const value = tryParseJson(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    throw new TransportError(`the response is not a JSON object: ${text.slice(0, 60)}`)
  }

  /**
   * Sends one request and reads the response before its timeout.
   * @throws {Refused} {TransportError} as {@link json} does.
   */
  async open<T>(
    path: string,
    { method = 'GET', body, headers }: CallInit,
    read: (response: Response, timeout: Timeout) => Promise<T>,
  ): Promise<T> {
    const timeout = startTimeout(this.settings.timeoutMs, (durationMs, signal) =>
      this.#context.sleep(durationMs, { as: this.#name, signal }),
    )
    try {
      const response = await this.#context.fetch(this.#context.url + path, {
        method,
        headers: {
          ...this.#headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: timeout.signal,
      })
      if (response.status >= 400) throw await this.#readRefusal(response)
      return await read(response, timeout)
    } catch (error) {
      throw toTransportError(error)
    } finally {
      timeout.end()
    }
  }

  /** Repeats an attempt. Each wait is at least as long as the previous one and as `Retry-After`. No wait is random. */
  async retry<T>(attempt: () => Promise<T>, policy: Partial<RetryPolicy> = {}): Promise<T> {
    const {
      firstMs = 1_000,
      maxMs = 30_000,
      retries = this.settings.retries,
      canRetry = isRetryable,
    } = policy
    let waitMs = 0
    for (let tries = 0; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (!canRetry(error) || tries >= retries) throw error
        const retryAfterMs = error instanceof Refused ? (error.retryAfterMs ?? 0) : 0
        waitMs = Math.max(waitMs, retryAfterMs, Math.min(firstMs * 2 ** tries, maxMs))
        await this.sleep(waitMs)
      }
    }
  }

  async #readRefusal(response: Response): Promise<Refused> {
    const text = await response.text().catch(() => '')
    const retryAfterMs = parseRetryAfterMs(response.headers.get('retry-after'), this.#context.now())
    return new Refused(`${response.status} ${errorMessage(text)}`, { status: response.status, retryAfterMs })
  }
}

/** Aborts a request for which no byte has arrived for too long. */
export interface Timeout {
  readonly signal: AbortSignal
  /** Restarts the timeout when bytes have arrived. */
  readonly renew: () => void
  readonly end: () => void
}

/** Most responses arrive within this real time, and need no timeout on the clock. */
const gracePeriodMs = 1_000

/**
 * A request that is in flight does not hold an `auto` clock yet. After a halt of the process, the timer is due before the
 * events of its sockets. After these turns, the gateway has the request.
 */
const turnsInFlight = 20

function startTimeout(
  durationMs: number,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
): Timeout {
  const request = new AbortController()
  let sleeping: AbortController | undefined
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const end = (): void => {
    hostTimers.clearTimeout(timer)
    sleeping?.abort()
  }
  const expire = async (signal: AbortSignal): Promise<void> => {
    for (let turn = 0; turn < turnsInFlight && !signal.aborted; turn++)
      await new Promise<void>((resolve) => hostTimers.setTimeout(resolve, 1))
    if (signal.aborted) return
    await sleep(durationMs, signal)
    request.abort(new TimedOut(`nothing arrived for ${durationMs / 1_000} s`))
  }
  const start = (): void => {
    timer = hostTimers.setTimeout(() => {
      sleeping = new AbortController()
      void expire(sleeping.signal).catch(() => {})
    }, gracePeriodMs)
  }
  const renew = (): void => {
    end()
    start()
  }
  start()
  return { signal: request.signal, renew, end }
}

function toTransportError(error: unknown): unknown {
  if (error instanceof TransportError || error instanceof Refused) return error
  const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: { code?: string } }
  const code = cause?.code === undefined ? '' : `: ${cause.code}`
  return new TransportError(message + code, { cause: error })
}

/** The message of an error response, in any of the gateway's envelopes. */
function errorMessage(text: string): string {
  const fields = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const { error, message, description } = fields(tryParseJson(text))
  const messages = [fields(error)['message'], error, message, description]
  return String(messages.find((each) => typeof each === 'string') ?? text).slice(0, 200)
}

/** @returns undefined for text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A step with its defaults, durations in milliseconds. */
export interface StepSettings {
  readonly flow: Flow
  readonly model: string
  readonly prompt: string
  readonly n: number
  readonly submitTogether: boolean
  readonly pollEveryMs: number
  readonly giveUpAfterMs: number
  /** The maximum wait for a response, or for its next byte. */
  readonly timeoutMs: number
  readonly retries: number
  readonly download: boolean
  readonly verify: Verification
  readonly actions: readonly string[]
  /** Length and size of a video, as fields of the request. */
  readonly shape: Readonly<Record<string, unknown>>
}

const { drive: usual } = optionDefaults

/** A step, with the keys that only some flows read: those of a removed API are not in the vocabulary. */
type Step = DriveStep & {
  readonly seconds?: number
  readonly size?: string
  readonly actions?: readonly string[]
}

/**
 * Applies defaults to a step, and the default model of its flow.
 * @throws {DurationError} for an invalid duration.
 */
export function resolveSettings(step: Step, { model = '' }: { readonly model?: string }): StepSettings {
  const { flow, submitTogether = false, actions = [], seconds, size } = step
  const { prompt = usual.prompt, n = usual.n, retries = usual.retries } = step
  const { verify = usual.verify, download = usual.download } = step
  const { pollEvery = usual.pollEvery, giveUpAfter = usual.giveUpAfter } = step
  return {
    flow,
    model: step.model ?? model,
    prompt,
    n,
    submitTogether,
    pollEveryMs: parseDuration(pollEvery),
    giveUpAfterMs: parseDuration(giveUpAfter),
    timeoutMs: 60_000,
    retries,
    download,
    verify,
    actions,
    shape: {
      ...(size === undefined ? {} : { size }),
      ...(seconds === undefined ? {} : { seconds: String(seconds) }),
    },
  }
}

/** The prompt of a task. Each task needs its own, because equal requests would look like a repeated one. */
export function promptAt({ prompt }: StepSettings, index: number): string {
  return index === 0 ? prompt : `${prompt}, take ${index + 1}`
}
