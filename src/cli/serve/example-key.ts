import { namespaceOfKey } from '../../gateway/accounts/keys.ts'
import type { ServerOptions } from '../../server/start.ts'

/**
 * A key that works: the first that wasn't revoked, of namespace `default` where there is one. Without configured keys all
 * that start with `sk-` work.
 */
export function exampleKey({ keys = [] }: Pick<ServerOptions, 'keys'>): string {
  const usable = keys
    .map((key) => (typeof key === 'string' ? { key } : key))
    .filter((key) => !('revoked' in key && key.revoked))
  const own = usable.find(
    ({ key, namespace }) => (namespace ?? namespaceOfKey(key) ?? 'default') === 'default',
  )
  return (own ?? usable[0])?.key ?? 'sk-greenroom'
}
