import type { Exchange } from '../../../gateway/exchange.ts'
import type { KeyPlace } from '../../define/operation-schema.ts'
import type { UpstreamWords } from '../fields.ts'

/** The names of errors of the service behind the gateway. */
export const upstreamWords = (status: number): UpstreamWords => ({ type: 'upstream_error', code: status })

/** The header that the gateway's document names, and the one that its model vendor's own clients send (wire §1.2). */
const nativeKeyHeaders = ['x-native-api-key', 'x-goog-api-key']

/**
 * Reads the key of a native request (§5): from the first of the native headers that it has, otherwise from the query's `key`.
 * Undefined if both are missing.
 *
 * @assumed §5 which of the two counts is undocumented; wire §1.2: the header.
 */
export function nativeKey(x: KeyedRequest): string | undefined {
  for (const name of nativeKeyHeaders) {
    const sent = x.header(name).trim()
    if (sent !== '') return sent
  }
  if (!String(x.query).includes('key=')) return undefined
  return new URLSearchParams(x.query).get('key')?.trim() || undefined
}

/** The parts of a request that may have a key. */
interface KeyedRequest {
  readonly header: (name: string) => string
  readonly query: string | URLSearchParams
}

/** The model in a path, without the `models/` prefix of some clients. */
export function modelOf({ params }: Pick<Exchange, 'params'>): string {
  return (params['model'] ?? '').replace(/^models\//, '')
}

const ofNative = 'A key, as native clients send it.'

/** Where keys may be, besides `Authorization`. */
export const nativeKeyPlaces: readonly KeyPlace[] = [
  { id: 'nativeKey', in: 'header', name: 'x-goog-api-key', description: ofNative },
  { id: 'nativeQueryKey', in: 'query', name: 'key', description: ofNative },
]
