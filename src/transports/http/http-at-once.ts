import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { inOnePiece } from '../../engine/one-piece.ts'

/** What a value may not hold: it would begin another header, or isn't of one byte. */
const unfit = /[^\t\x20-\x7e]/
const token = /^[\w-]+$/

/** Rules may name headers as they like; more names than this are not remembered. */
const maxNames = 100

/**
 * Headers as they go over the wire. Most say the same in every answer: of each name the latest is remembered, and put
 * together only once if it comes again.
 */
export class HeaderLines {
  readonly #latest = new Map<string, { value: string; line: string | undefined }>()

  /** @returns the line with its end; undefined where name or value may not be written as they are. */
  of(name: string, value: string): string | undefined {
    const latest = this.#latest.get(name)
    if (latest?.value === value) return (latest.line ??= inOnePiece(lineOf(name, value)))
    if (unfit.test(value) || !token.test(name)) return undefined
    if (latest) {
      latest.value = value
      latest.line = undefined
    } else if (this.#latest.size < maxNames) this.#latest.set(name, { value, line: undefined })
    return lineOf(name, value)
  }
}

function lineOf(name: string, value: string): string {
  return `${name}: ${value}\r\n`
}

/** An answer whose text is there. */
export interface TextAnswer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly date: string
  readonly text: string
  /** The length of the text. */
  readonly bytes: number
  /** Whether it is a stream, whose length no header tells. */
  readonly isStream?: boolean
}

/**
 * How node:http remembers a head that it has written. The names aren't documented, but are the same in every Node that
 * there is; where they once aren't, answers go the usual way.
 */
interface HeadMemory {
  _header: string | null
  _headerSent: boolean
}

const lines = new HeaderLines()

/**
 * Hands a whole answer to the socket at once. Node's own way makes the head in several steps, checks names that it has
 * checked a moment ago, and lets the system gather two pieces: that takes longer than deciding what to answer. All
 * that comes behind stays node:http's: whose turn is next, what becomes of the connection and of a body nobody read.
 *
 * @param keepAlive the header that tells how long the server keeps a connection.
 * @returns false where it can't be done, and nothing has been; the usual way must be taken then.
 */
export function writtenAtOnce(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, date, text, bytes, isStream = false }: TextAnswer,
  keepAlive: string,
): boolean {
  const { socket } = response
  // Until its turn has come, an answer has no socket; and what still waits there is written first, at the client's pace.
  if (!socket || socket.destroyed || socket.writableLength > 0) return false
  if (!staysOpen(request) || !isUntouched(response) || isBare(status)) return false
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  let isDated = false
  let isTimed = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    const line = lines.of(name, value)
    if (line === undefined) return false
    head += line
    // Node closes the connection only if it has written the headers itself.
    if (name === 'Connection') return false
    if (name === 'Date') isDated = true
    else if (name === 'Keep-Alive') isTimed = true
  }
  if (!isDated) head += lines.of('Date', date)!
  if (!isStream) head += lines.of('Content-Length', String(bytes))!
  // A rule may have set `Keep-Alive` itself.
  head += isTimed ? 'Connection: keep-alive\r\n' : `Connection: keep-alive\r\n${keepAlive}\r\n`
  head += isStream ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n'
  const body = isStream ? `${bytes.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text
  const memory = response as unknown as HeadMemory
  response.statusCode = status
  memory._header = head
  memory._headerSent = true
  socket.write(head + body, text.length === bytes ? 'latin1' : 'utf8')
  response.end()
  return true
}

/** Whether the connection is to go on behind the answer, as nearly all do, and the answer has its body. */
function staysOpen({ httpVersion, method, headers }: IncomingMessage): boolean {
  const { connection } = headers
  return (
    httpVersion === '1.1' && method !== 'HEAD' && (connection === undefined || connection === 'keep-alive')
  )
}

/** Whether an answer has no body, whatever it was given. */
function isBare(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

function isUntouched(response: ServerResponse): boolean {
  const { _header, _headerSent } = response as unknown as Partial<HeadMemory>
  return _header === null && _headerSent === false
}
