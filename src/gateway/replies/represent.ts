import type { Media } from '../../media/source.ts'
import type { Conditions } from './reply.ts'

/** The response for known bytes. */
interface Representation {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for HEAD, whose headers still describe the bytes. */
  readonly body: Uint8Array | null
}

/**
 * Applies the client's conditions and range to bytes: 200, 206, 304 or 416, with length and entity tag.
 *
 * @assumed §4.3 ranges and conditions are not documented; wire §5 proposes single byte ranges and a strong ETag.
 */
export function represent(media: Media, conditions: Conditions): Representation {
  const headers: Record<string, string> = {
    ...conditions.headers,
    ETag: media.etag,
    'Accept-Ranges': 'bytes',
  }
  if (matchesTag(conditions.ifNoneMatch, media.etag)) return { status: 304, headers, body: null }

  const size = media.bytes.length
  const mayRange =
    conditions.method === 'GET' && (conditions.ifRange === '' || conditions.ifRange === media.etag)
  const range = mayRange ? parseRange(conditions.range, size) : null
  if (range === 'unsatisfiable') {
    headers['Content-Range'] = `bytes */${size}`
    headers['Content-Length'] = '0'
    return { status: 416, headers, body: null }
  }
  headers['Content-Type'] = conditions.mediaType ?? media.type
  if (range === null) {
    headers['Content-Length'] = String(size)
    return { status: 200, headers, body: conditions.method === 'HEAD' ? null : media.bytes }
  }
  const body = media.bytes.subarray(range.first, range.last + 1)
  headers['Content-Range'] = `bytes ${range.first}-${range.last}/${size}`
  headers['Content-Length'] = String(body.length)
  return { status: 206, headers, body }
}

/**
 * Reads a `Range` header (RFC 9110 §14). Several ranges at once, other units and malformed ones are ignored,
 * as the standard allows.
 *
 * @returns first and last byte, null for the whole, or `unsatisfiable`.
 */
export function parseRange(
  header: string,
  size: number,
): { first: number; last: number } | null | 'unsatisfiable' {
  if (header === '') return null
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header)
  if (!match || (match[1] === '' && match[2] === '')) return null
  if (match[1] === '') {
    const count = Math.min(Number(match[2]), size)
    return count === 0 ? 'unsatisfiable' : { first: size - count, last: size - 1 }
  }
  const first = Number(match[1])
  const last = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== '' && Number(match[2]) < first) return null
  return first >= size ? 'unsatisfiable' : { first, last }
}

function matchesTag(header: string, etag: string): boolean {
  if (header === '') return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
