import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { readBody, isPublicAddress, openConnection } from './fetch-connection.ts'
import { hostOf } from './fetch-allow.ts'
import { Semaphore } from '../semaphore.ts'
import { ImageRefused, type ReceivedImage } from '../source.ts'

export interface PictureFetchOptions {
  /** Hosts and addresses that may be private, as `allowedHosts` writes them. */
  allow: ReadonlySet<string>
  /** The largest picture. */
  maxBytes: number
  /** Takes the bytes: format and pixels are checked there. */
  receive: (bytes: Uint8Array) => Promise<ReceivedImage>
  /** From the call to the last byte, redirects and waiting for others included: 10 000 ms. */
  timeLimitMs?: number | undefined
  /** All addresses of a name. Left out: what the host's own resolver says. */
  resolve?: ((name: string) => Promise<readonly string[]>) | undefined
}

export const maxRedirects = 3
export const fetchesAtOnce = 4
export const fetchLimitMs = 10_000
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Fetches images from URLs of clients, and from no private address that is not allowed. */
export class PictureFetch {
  readonly #options: PictureFetchOptions
  readonly #timeLimitMs: number
  readonly #resolve: (name: string) => Promise<readonly string[]>
  /** One request may name a thousand pictures of the maximum size. */
  readonly #slots = new Semaphore(fetchesAtOnce)
  readonly #running = new Set<AbortController>()
  #closed = false

  constructor(options: PictureFetchOptions) {
    this.#options = options
    this.#timeLimitMs = options.timeLimitMs ?? fetchLimitMs
    this.#resolve = options.resolve ?? resolveOnHost
  }

  /**
   * Fetches one picture and keeps it as if it had been sent.
   * @param text the address as the client wrote it.
   * @throws {ImageRefused} when the address may not be fetched, does not answer with a picture, or takes too long.
   */
  async fetch(text: string): Promise<ReceivedImage> {
    if (!URL.canParse(text)) {
      throw new ImageRefused(
        `The picture's address ${JSON.stringify(shortened(text))} can't be read: give a whole http(s) URL.`,
      )
    }
    const url = new URL(text)
    const bytes = await this.#inTime(url, (signal) => this.#follow(new Trip(url), signal))
    try {
      return await this.#options.receive(bytes)
    } catch (error) {
      if (!(error instanceof ImageRefused)) throw error
      throw new ImageRefused(`What ${formatUrl(url)} answered can't be taken. ${error.message}`, {
        cause: error,
      })
    }
  }

  /** Ends what is under way; its callers hear that it was refused. */
  close(): void {
    this.#closed = true
    for (const running of this.#running) running.abort(closing)
  }

  /** Every wait of a fetch ends with the signal, so a slot is never held longer than the time limit. */
  async #inTime(url: URL, work: (signal: AbortSignal) => Promise<Uint8Array>): Promise<Uint8Array> {
    if (this.#closed) throw closing
    const running = new AbortController()
    const { signal } = running
    const timer = hostTimers.setTimeout(() => {
      running.abort(
        refused(
          formatUrl(url),
          `it took longer than ${this.#timeLimitMs / 1000} s`,
          `Try again, or ${sendIt}`,
        ),
      )
    }, this.#timeLimitMs)
    this.#running.add(running)
    try {
      return await this.#slots.use(() => untilAborted(signal, () => work(signal)))
    } finally {
      hostTimers.clearTimeout(timer)
      this.#running.delete(running)
    }
  }

  async #follow(trip: Trip, signal: AbortSignal): Promise<Uint8Array> {
    const { url } = trip
    const addresses = await this.#checked(trip)
    signal.throwIfAborted()
    const response = await openConnection(url, addresses, signal).catch(trip.refuseAsUnreachable)
    const status = response.statusCode ?? 0
    const { location, 'content-encoding': encoding = 'identity' } = response.headers
    if (redirects.has(status) && location !== undefined) {
      response.destroy()
      return this.#follow(trip.redirected(location), signal)
    }
    if (status !== 200) {
      response.destroy()
      throw trip.refused(`the answer was ${status} and not 200`, `Check the address, or ${sendIt}`)
    }
    if (encoding !== 'identity') {
      response.destroy()
      throw trip.refused(
        `the answer is encoded as ${shortened(encoding)}, although identity was requested`,
        `Serve it as it is, or ${sendIt}`,
      )
    }
    const { maxBytes } = this.#options
    const bytes = await readBody(response, maxBytes).catch(trip.refuseAsUnreachable)
    if (!bytes) {
      const most = (maxBytes / 1_000_000).toFixed(1)
      throw trip.refused(`it is larger than ${most} MB, the most that is taken`, 'Give a smaller picture.')
    }
    return bytes
  }

  /** @returns the addresses that may be connected to, which are all the host has. */
  async #checked(trip: Trip): Promise<readonly string[]> {
    const { url } = trip
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw trip.refused(`${url.protocol} is neither http: nor https:`, `Give an http(s) URL, or ${sendIt}`)
    }
    if (url.username !== '' || url.password !== '') {
      throw trip.refused('there is a user name or a password in it', `Leave them out, or ${sendIt}`)
    }
    const host = hostOf(url)
    const isName = isIP(host) === 0
    const addresses = isName ? await this.#resolve(url.hostname).catch(trip.refuseAsUnreachable) : [host]
    if (addresses.length === 0) throw trip.refused(`${host} has no address`, `Check the name, or ${sendIt}`)
    const { allow } = this.#options
    if (allow.has(host)) return addresses
    const hidden = addresses.find((address) => !isPublicAddress(address) && !allow.has(address))
    if (hidden === undefined) return addresses
    throw trip.refused(
      `${isName ? `${shortened(host)} is ${hidden}, which` : hidden} is not a public address`,
      `Name ${shortened(host)} in fetchImages.allow, or ${sendIt}`,
    )
  }
}

const sendIt = 'send the picture itself, as base64.'

const closing = new ImageRefused('The picture was not fetched to its end, because greenroom is closing.')

/** A fetch with its redirects so far, for its messages. */
class Trip {
  readonly url: URL
  readonly #before: readonly URL[]

  constructor(url: URL, before: readonly URL[] = []) {
    this.url = url
    this.#before = before
  }

  /** @throws {ImageRefused} when the place can't be read, or there were too many before it. */
  redirected(location: string): Trip {
    if (!URL.canParse(location, this.url)) {
      throw this.refused(
        `it redirects to ${JSON.stringify(shortened(location))}, which is not an address`,
        `Check it, or ${sendIt}`,
      )
    }
    if (this.#before.length === maxRedirects) {
      throw this.refused(
        `it redirects more than ${maxRedirects} times`,
        `Give the address where it ends, or ${sendIt}`,
      )
    }
    return new Trip(new URL(location, this.url), [...this.#before, this.url])
  }

  refused(reason: string, advice: string, cause?: Error): ImageRefused {
    const [first] = this.#before
    const way = first ? `${formatUrl(first)}, redirected to ${formatUrl(this.url)},` : formatUrl(this.url)
    return refused(way, reason, advice, cause)
  }

  /** For what resolver and socket reject with. */
  readonly refuseAsUnreachable = (error: NodeJS.ErrnoException): never => {
    // When each of several addresses fails, only the code is filled in.
    const reason = error.message || error.code || error.name
    throw this.refused(
      shortened(reason),
      `Check that this machine can reach the address, or ${sendIt}`,
      error,
    )
  }
}

function refused(way: string, reason: string, advice: string, cause?: Error): ImageRefused {
  return new ImageRefused(`The picture at ${way} can't be fetched: ${reason}. ${advice}`, { cause })
}

/** The URL for messages: without credentials, and at most 200 characters. */
function formatUrl(url: URL): string {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return shortened(plain.href)
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

async function resolveOnHost(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/** Name resolution can't be aborted, but waiting for it can. */
function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work().then(resolve, reject)
  })
}
