import type { IncomingMessage } from 'node:http'

/** Bodies up to this length are handed over in one piece. */
const smallBytes = 64 * 1024

/**
 * The body of a request as it arrives. Nearly all are small and there at once; those are gathered by plain listeners,
 * since the iterators of streams cost more than deciding what to answer.
 *
 * @param announcedBytes what its `Content-Length` says; node:http takes no more than that.
 */
export function bodyOf(
  request: IncomingMessage,
  announcedBytes: number | undefined,
): AsyncIterable<Uint8Array> | (() => Promise<Uint8Array>) {
  if (announcedBytes !== undefined && announcedBytes <= smallBytes) return () => gathered(request)
  return inPieces(request)
}

async function* inPieces(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A body that is refused halfway must not take the socket along: the client is to see why.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } finally {
    // Nor must its rest be left lying, for the next request on the connection would wait behind it.
    request.resume()
  }
}

function gathered(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    // Each of them comes once, and listening for good is cheaper than listening once.
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
    // A client that leaves in the middle ends it by neither.
    request.on('error', reject)
    request.on('close', () => {
      if (!request.readableEnded) reject(new Error('the client left before the end of its body'))
    })
  })
}
