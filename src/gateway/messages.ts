import { optionDefaults } from '../scenario/vocabulary/defaults.ts'
import { BoundedMap } from '../engine/bounded-map.ts'
import type { ConnectionEnd } from '../engine/connection-end.ts'
import { bytesOf, ConnectionBreak, type Chunks } from '../engine/reply.ts'
import { truncate } from '../engine/wording.ts'
import { maskKey } from './accounts/keys.ts'
import type { JournalEntry } from './journal.ts'
import { mediaType, type GatewayRequest } from './request.ts'

/** One side of an exchange as it was sent, except secrets, long content and bytes that are not text. */
export interface StoredMessage {
  /** The first line, such as `POST /v1/videos`. */
  readonly line: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether the body was longer. */
  readonly truncated: boolean
}

export interface StoredExchange {
  readonly request: StoredMessage
  /** Null until there is a response. */
  readonly reply: StoredMessage | null
}

/** How many exchanges are stored, and how many characters of each body. */
export const maxStoredExchanges = optionDefaults.storedExchanges
export const maxBodyCharacters = 16 * 1024

/** Longer bodies are not searched for images. */
const maxSearchedBytes = 4 * 1024 * 1024

const textTypes = /^(?:text\/|application\/(?:.*\+)?(?:json|xml|x-www-form-urlencoded|x-ndjson|yaml)$|$)/

/** Stores headers and bodies of the latest exchanges, in memory only. */
export class MessageStore {
  readonly #byEntry = new BoundedMap<ExchangeMessages, JournalEntry>(maxStoredExchanges)

  /** The text of a request body. Images are replaced by their size. */
  readBody(bytes: Uint8Array, contentType: string): BodyText {
    return toBodyText(bytes, contentType)
  }

  /** Begins to store an exchange. Drops the oldest if there are too many. */
  open(
    entry: JournalEntry,
    request: GatewayRequest,
    credential: string,
    body = noBodyText,
  ): ExchangeMessages {
    const messages = new ExchangeMessages(request, body, credential)
    this.#byEntry.set(entry, messages)
    return messages
  }

  /** The messages of an exchange; undefined if they were dropped. */
  find(entry: JournalEntry): StoredExchange | undefined {
    return this.#byEntry.get(entry)?.read()
  }

  /** Forgets the exchanges of a namespace. */
  forget(namespace: string): void {
    for (const entry of this.#byEntry.keys()) if (entry.namespace === namespace) this.#byEntry.delete(entry)
  }
}

/** A body as text, truncated to the limit, and whether it was longer. */
export interface BodyText {
  readonly text: string
  readonly truncated: boolean
}

const noBodyText: BodyText = { text: '', truncated: false }
const noHeaders: readonly string[] = []

/**
 * Collects both messages of one exchange, as they are: most are never read. Keys are masked when they are. One object holds
 * all, because the ring of exchanges is what the garbage collector copies most.
 */
export class ExchangeMessages {
  readonly #method: string
  readonly #target: string
  readonly #requestHeaders: GatewayRequest['headers']
  readonly #requestBody: BodyText
  readonly #credential: string
  /** 0 until there is a response. */
  #status = 0
  #loss: ConnectionEnd | undefined
  #headers: readonly string[] = noHeaders
  #parts: (string | Uint8Array)[] = []
  #stored = 0
  #sent = 0
  #end = ''

  constructor({ method, target, headers }: GatewayRequest, requestBody: BodyText, credential: string) {
    this.#method = method
    this.#target = target
    this.#requestHeaders = headers
    this.#requestBody = requestBody
    this.#credential = credential
  }

  /** Begins the response. @param headers names and values in turn. */
  begin(status: number, headers: readonly string[]): void {
    this.#status = status
    this.#headers = headers
  }

  /** Adds a part of the response's body. */
  add(data: string | Uint8Array): void {
    this.#sent += data.length
    if (this.#stored > maxBodyCharacters) return
    if (typeof data !== 'string' && !textTypes.test(this.#type())) return
    const part = typeof data === 'string' ? shorten(data) : data.slice(0, maxBodyCharacters)
    this.#stored += part.length
    this.#parts.push(part)
  }

  /** Passes a body on, and stores the part that is sent. */
  async *follow(chunks: Chunks): Chunks {
    try {
      for await (const chunk of chunks) {
        this.add(chunk.data)
        yield chunk
      }
    } catch (error) {
      if (error instanceof ConnectionBreak) this.#end = `\n(${error.how.description})`
      throw error
    }
  }

  /** Records that there is no response. */
  lose(how: ConnectionEnd): void {
    this.#loss = how
  }

  read(): StoredExchange {
    const pairs = Object.entries(this.#requestHeaders).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    )
    const replyPairs = this.#headers.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, this.#headers[index + 1]!]] : [],
    )
    const request = this.#mask(`${this.#method} ${this.#target}`, pairs, this.#requestBody)
    const line = this.#replyLine()
    return { request, reply: line === undefined ? null : this.#mask(line, replyPairs, this.#replyBody()) }
  }

  #replyLine(): string | undefined {
    if (this.#loss) return `(${this.#loss.description})`
    return this.#status === 0 ? undefined : `HTTP/1.1 ${this.#status}`
  }

  #type(): string {
    const isName = (text: string, index: number): boolean =>
      index % 2 === 0 && text.toLowerCase() === 'content-type'
    const at = this.#headers.findIndex(isName)
    return at < 0 ? '' : mediaType(this.#headers[at + 1]!)
  }

  #replyBody(): BodyText {
    const type = this.#type()
    if (!textTypes.test(type)) {
      const text = this.#sent === 0 ? '' : `(${type}, ${this.#sent} bytes)`
      return { text: text + this.#end, truncated: false }
    }
    // Bytes that are not text become U+FFFD.
    const decoder = new TextDecoder()
    const whole =
      this.#parts.map((part) => decoder.decode(bytesOf(part), { stream: true })).join('') + decoder.decode()
    const text = truncate(whole, maxBodyCharacters)
    const truncated = text.length < whole.length || this.#stored > maxBodyCharacters
    return { text: text + this.#end, truncated }
  }

  #mask(line: string, headers: [string, string][], { text, truncated }: BodyText): StoredMessage {
    const hide = (value: string): string => maskKeys(value, this.#credential)
    return {
      line: hide(truncate(line, 2_000)),
      headers: headers.map(([name, value]) => [
        name,
        secretHeaders.test(name) ? maskHeader(name, value) : hide(value),
      ]),
      body: hide(text),
      truncated,
    }
  }
}

const secretHeaders = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|.*(?:api-?key|api-?secret|-token))$/i

function maskHeader(name: string, value: string): string {
  if (/cookie/i.test(name)) return '…'
  const [, scheme = '', key = ''] = /^(\w+ +)?(.*)$/s.exec(value)!
  return scheme + maskKey(key)
}

/** Masks the key of the request wherever it is, and keys in URLs. */
function maskKeys(text: string, credential: string): string {
  const urls = text.replaceAll(
    /([?&](?:key|api_?key|token|access_token)=)([^&#\s"']+)/gi,
    (_, name: string, key: string) => name + maskKey(key),
  )
  return credential.length < 4 ? urls : urls.replaceAll(credential, maskKey(credential))
}

/** The text of a request body. Images are replaced by their size. */
function toBodyText(bytes: Uint8Array, contentType: string): BodyText {
  const type = mediaType(contentType)
  const summary = { text: `(${type === '' ? '' : `${type}, `}${bytes.length} bytes)`, truncated: false }
  if (bytes.length === 0) return noBodyText
  const isForm = type.startsWith('multipart/')
  if (bytes.length > maxSearchedBytes || !(isForm || textTypes.test(type))) return summary
  const text = isForm
    ? describeParts(new TextDecoder('latin1').decode(bytes))
    : withoutImages(new TextDecoder().decode(bytes))
  return { text: truncate(text, maxBodyCharacters), truncated: text.length > maxBodyCharacters }
}

/** Truncates a text to the stored length. */
function shorten(text: string): string {
  if (text.length <= maxBodyCharacters) return text
  return truncate(text.length > maxSearchedBytes ? text : withoutImages(text), maxBodyCharacters + 1)
}

/** Long runs of base64 are images. */
function withoutImages(text: string): string {
  return text.replaceAll(/[A-Za-z0-9+/]{512,}={0,2}/g, (run) => `(${Math.floor((run.length * 3) / 4)} bytes)`)
}

/** Describes the parts of a form. Files are replaced by their size. */
function describeParts(text: string): string {
  const boundary = text.slice(0, Math.max(0, text.indexOf('\r\n')))
  if (boundary === '') return `(${text.length} bytes)`
  return text
    .split(boundary)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      if (end < 0 || !/filename|content-type/i.test(part.slice(0, end))) return part
      return `${part.slice(0, end + 4)}(${Math.max(0, part.length - end - 6)} bytes)\r\n`
    })
    .join(boundary)
}
