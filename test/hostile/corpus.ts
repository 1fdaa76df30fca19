import { goldenNames, goldenOf, initOf } from '../support/golden.ts'

/** A request that has an answer on record. */
export interface KnownRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Longer ones are about length, and would be most of what is tried. */
const maxBodyLength = 4_000

/** The requests of the golden exchanges: of each kind that is known, and many that are refused. */
export const knownRequests: readonly KnownRequest[] = goldenNames
  .map((name) => {
    const { request } = goldenOf(name)
    return { name, path: request.path, body: undefined, ...initOf(request) }
  })
  .filter(({ body }) => (body ?? '').length <= maxBodyLength)

/** Those with a body that is JSON. */
export const knownBodies = knownRequests.filter(
  ({ method, body }) => method === 'POST' && body?.startsWith('{') === true,
)

/** A request as the bytes of a client. */
export function bytesOf({ method, path, headers, body }: KnownRequest, isLast = false): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  const has = Object.keys(headers).map((name) => name.toLowerCase())
  if (body !== undefined && !has.includes('content-length'))
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  if (isLast) lines.push('Connection: close')
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}
