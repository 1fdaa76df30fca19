import { connect } from 'node:net'

/** What came back over one connection. */
export interface RawAnswer {
  readonly bytes: Buffer
  /** Whether the server ended the connection by itself. */
  readonly closed: boolean
}

/**
 * Sends bytes as they are and says no more, then reads until the server ends the connection.
 * @param pieces what is written, each by itself.
 * @param patienceMs how long the end may take; who waits longer hangs.
 */
export function sendRaw(
  url: string,
  pieces: readonly (string | Uint8Array)[],
  { patienceMs = 10_000, end = true }: { patienceMs?: number; end?: boolean } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true })
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      resolve({ bytes: Buffer.concat(chunks), closed: false })
      socket.destroy()
    }, patienceMs)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A server may cut off who sends nonsense; the bytes before that count.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      resolve({ bytes: Buffer.concat(chunks), closed: true })
    })
    void (async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        await new Promise<void>((written) => {
          socket.write(piece, () => setImmediate(written))
          socket.once('close', () => written())
        })
      }
      if (end) socket.end()
    })()
  })
}

/** One answer as a client reads it. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/**
 * The answers that stand in what came back, one after the other.
 * @param methods the methods of the requests, if known: the response to HEAD has no body.
 * @throws {Error} for what is no answer: bytes between answers, or one that breaks off.
 */
export function answersIn(bytes: Buffer, methods: readonly string[] = []): ReadAnswer[] {
  const answers: ReadAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0)
      throw new Error(`no end of headers in ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`)
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(first)?.[1])
    if (!status) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 200))}`)
    const headers = new Map(lines.map(headerIn))
    rest = rest.subarray(end + 4)
    if (status === 100) continue
    const isEmpty = status === 204 || status === 304 || methods[answers.length] === 'HEAD'
    const { body, length } = isEmpty ? { body: Buffer.alloc(0), length: 0 } : bodyIn(rest, headers)
    answers.push({ status, headers, body })
    rest = rest.subarray(length)
  }
  return answers
}

function headerIn(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\xff]*)$/.exec(line) ?? []
  if (name === undefined) throw new Error(`no header: ${JSON.stringify(line.slice(0, 200))}`)
  return [name.toLowerCase(), value!]
}

function bodyIn(bytes: Buffer, headers: ReadonlyMap<string, string>): { body: Buffer; length: number } {
  const length = headers.get('content-length')
  if (length !== undefined) {
    if (bytes.length < Number(length)) throw new Error(`${bytes.length} bytes of ${length} came`)
    return { body: bytes.subarray(0, Number(length)), length: Number(length) }
  }
  if (headers.get('transfer-encoding') === 'chunked') return chunksIn(bytes)
  return { body: bytes, length: bytes.length }
}

function chunksIn(bytes: Buffer): { body: Buffer; length: number } {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) throw new Error('the chunks break off')
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (Number.isNaN(size)) throw new Error('no size of a chunk')
    const begin = line + 2
    chunks.push(bytes.subarray(begin, begin + size))
    at = begin + size + 2
    if (size === 0) return { body: Buffer.concat(chunks), length: at }
  }
}
