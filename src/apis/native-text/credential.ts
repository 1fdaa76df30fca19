import { headerOf, type GatewayRequest } from '../../gateway/request.ts'

/**
 * The key of a native request (§5): a header of its own, or else the query's `key`. Empty where it brings neither; then
 * `Authorization` counts.
 *
 * @param headers by which names the header goes, in the order in which they count.
 * @assumed §5 which of the two counts is not shown; wire §1.2: the header.
 */
export function nativeCredential(
  headers: readonly string[],
): (incoming: GatewayRequest, query: string) => string {
  return (incoming, query) => {
    for (const name of headers) {
      const value = headerOf(incoming, name).trim()
      if (value !== '') return value
    }
    return query.includes('key=') ? (new URLSearchParams(query).get('key') ?? '').trim() : ''
  }
}
