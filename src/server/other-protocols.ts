import type { Socket } from 'node:net'

/** A protocol other than HTTP/1.1 that a client tries. */
interface OtherProtocol {
  readonly isIn: (bytes: Buffer) => boolean
  /** What to say to the user. @param url the URL of the server. */
  readonly advise: (url: string) => string
  /** What a client of this protocol understands. */
  readonly refusal: Buffer
}

/** RFC 8446 §6: a fatal alert, protocol_version. */
const tlsAlert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])

/** RFC 9113 §7: HTTP_1_1_REQUIRED. */
const http11Required = 0x0d

/** Empty SETTINGS, as every server must send first, and GOAWAY with a text for its debug data. */
function goAway(text: string): Buffer {
  const settings = frame(0x04, Buffer.alloc(0))
  const codes = Buffer.alloc(8)
  codes.writeUInt32BE(http11Required, 4)
  return Buffer.concat([settings, frame(0x07, Buffer.concat([codes, Buffer.from(text)]))])
}

/** RFC 9113 §4.1: length, type, flags, stream 0. */
function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  return Buffer.concat([head, payload])
}

const protocols: readonly OtherProtocol[] = [
  {
    // RFC 8446 §5.1: a record of a handshake, of any version.
    isIn: (bytes) => bytes[0] === 0x16 && bytes[1] === 0x03,
    advise: (url) =>
      `A client speaks HTTPS to this port, which speaks HTTP. Write ${url} as its base URL, with http.`,
    refusal: tlsAlert,
  },
  {
    isIn: (bytes) => bytes.toString('latin1', 0, 14) === 'PRI * HTTP/2.0',
    advise: (url) =>
      `A client speaks HTTP/2 without TLS to ${url}, which speaks HTTP/1.1. Switch it to HTTP/1.1.`,
    refusal: goAway('This server speaks HTTP/1.1.'),
  },
]

/**
 * Refuses a client of another protocol in its own words, and says so to the user.
 * @param bytes the first bytes of the connection that are not HTTP/1.1.
 * @returns whether they are of a protocol that is known here.
 */
export function refuseOtherProtocol(
  bytes: Buffer | undefined,
  socket: Socket,
  { url, onWarning }: { readonly url: string; readonly onWarning: (message: string) => void },
): boolean {
  const found = bytes && protocols.find(({ isIn }) => isIn(bytes))
  if (!found) return false
  onWarning(found.advise(url))
  socket.on('error', () => socket.destroy())
  socket.resume()
  socket.end(found.refusal)
  return true
}
