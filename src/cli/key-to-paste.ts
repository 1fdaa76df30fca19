import type { ServerOptions } from '../server/start.ts'

/** A key that works: the first that wasn't revoked. Without configured keys all that start with `sk-` work. */
export function keyToPaste({ keys = [] }: Pick<ServerOptions, 'keys'>): string {
  const usable = keys
    .map((key) => (typeof key === 'string' ? { key } : key))
    .find((key) => !('revoked' in key && key.revoked))
  return usable?.key ?? 'sk-greenroom'
}
