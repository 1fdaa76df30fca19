import { namespaceOfKey } from '../../gateway/accounts/keys.ts'
import type { ServerOptions } from '../../server/start.ts'

/** The keys of a config file: options of the server, how `serve` prints, and variables that `run` sets. */
export interface Config extends ServerOptions {
  quiet?: boolean
  json?: boolean
  env?: Readonly<Record<string, string>>
}

/**
 * A valid key: the first that isn't revoked, of namespace `default` if there is one. Without configured keys, every key
 * that starts with `sk-` is valid.
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
