import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { untilAborted } from '../../engine/maybe-promise.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { readResponseBody, isPublicAddress, openConnection } from './fetch-connection.ts'
import { hostOf } from './fetch-allow.ts'
import { Semaphore } from '../semaphore.ts'
import { ImageRefused, type ReceivedImage } from '../source.ts'

export interface PictureFetchOptions {
  /** Hosts and addresses that may be private, in the form of `allowedHosts`. */
  allow: ReadonlySet<string>
  /** The size of the largest accepted picture. */
  maxBytes: number
  /** Receives the bytes. It checks format and pixels. */
  receive: (bytes: Uint8Array) => Promise<ReceivedImage>
  /** From the call to the last byte, including redirects and the wait for other fetches: 10 000 ms. */
  timeLimitMs?: number | undefined
  /** Returns all addresses of a name. Default: the host's own resolver. */
  resolve?: ((name: string) => Promise<readonly string[]>) | undefined
}

export const maxRedirects = 3
export const fetchesAtOnce = 4
export const fetchLimitMs = 10_000
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Fetches images from URLs of clients. Private addresses must be allowed. */
export class PictureFetch {
  readonly #options: PictureFetchOptions
  readonly #timeLimitMs: number
  readonly #resolve: (name: string) => Promise<readonly string[]>
  /** Limited, because one request may name a thousand pictures of the maximum size. */
  readonly #slots = new Semaphore(fetchesAtOnce)
  readonly #running = new Set<AbortController>()
  #closed = false

  constructor(options: PictureFetchOptions) {
    this.#options = options
    this.#timeLimitMs = options.timeLimitMs ?? fetchLimitMs
    this.#resolve = options.resolve ?? resolveOnHost
  }

  /**
   * Fetches one picture and stores it like one that a client sent.
   * @param text the URL as the client wrote it.
   * @throws {ImageRefused} if the URL may not be fetched, does not return a picture, or takes too long.
   */
  async fetch(text: string): Promise<ReceivedImage> {
    if (!URL.canParse(text)) {
      throw new ImageRefused(
        `The picture's address ${JSON.stringify(shortenText(text))} can't be read: give a whole http(s) URL.`,
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

  /** Aborts fetches in progress. Their callers get a refusal. */
  close(): void {
    this.#closed = true
    for (const running of this.#running) running.abort(closing)
  }

  /** Every wait of a fetch ends with the signal, so no slot is held longer than the time limit. */
  async #inTime(url: URL, work: (signal: AbortSignal) => Promise<Uint8Array>): Promise<Uint8Array> {
    if (this.#closed) throw closing
    const running = new AbortController()
    const { signal } = running
    const timer = hostTimers.setTimeout(() => {
      running.abort(
        refusal(
          formatUrl(url),
          `it took longer than ${this.#timeLimitMs / 1000} s`,
          `Try again, or ${sendIt}`,
        ),
      )
    }, this.#timeLimitMs)
    this.#running.add(running)
    try {
      return await this.#slots.use(() => {
        signal.throwIfAborted()
        // Name resolution can't be aborted, but the wait for it can.
        return untilAborted(work(signal), signal)
      })
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
        `the answer is encoded as ${shortenText(encoding)}, although identity was requested`,
        `Serve it as it is, or ${sendIt}`,
      )
    }
    const { maxBytes } = this.#options
    const bytes = await readResponseBody(response, maxBytes).catch(trip.refuseAsUnreachable)
    if (!bytes) {
      const most = (maxBytes / 1_000_000).toFixed(1)
      throw trip.refused(`it is larger than ${most} MB, the most that is taken`, 'Give a smaller picture.')
    }
    return bytes
  }

  /** @returns all addresses of the host, each of which is allowed. */
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
      `${isName ? `${shortenText(host)} is ${hidden}, which` : hidden} is not a public address`,
      `Name ${shortenText(host)} in fetchImages.allow, or ${sendIt}`,
    )
  }
}

const sendIt = 'send the picture itself, as base64.'

const closing = new ImageRefused('The picture was not fetched to its end, because greenroom is closing.')

/** A fetch with its previous redirects, for messages. */
class Trip {
  readonly url: URL
  readonly #before: readonly URL[]

  constructor(url: URL, before: readonly URL[] = []) {
    this.url = url
    this.#before = before
  }

  /** @throws {ImageRefused} for an invalid location, and for too many redirects. */
  redirected(location: string): Trip {
    if (!URL.canParse(location, this.url)) {
      throw this.refused(
        `it redirects to ${JSON.stringify(shortenText(location))}, which is not an address`,
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
    return refusal(way, reason, advice, cause)
  }

  /** Converts an error of the resolver or socket to a refusal. */
  readonly refuseAsUnreachable = (error: NodeJS.ErrnoException): never => {
    // If all of several addresses fail, only the code is set.
    const reason = error.message || error.code || error.name
    throw this.refused(
      shortenText(reason),
      `Check that this machine can reach the address, or ${sendIt}`,
      error,
    )
  }
}

function refusal(way: string, reason: string, advice: string, cause?: Error): ImageRefused {
  return new ImageRefused(`The picture at ${way} can't be fetched: ${reason}. ${advice}`, { cause })
}

/** The URL in messages: without credentials, and at most 200 characters. */
function formatUrl(url: URL): string {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return shortenText(plain.href)
}

function shortenText(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

async function resolveOnHost(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
