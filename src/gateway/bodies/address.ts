import { namespaceName } from '../../engine/namespace.ts'
import { namespaceOfKey } from '../accounts/keys.ts'
import { headerOf, type Incoming } from '../incoming.ts'

/** Where a request goes, read off its target without decoding anything. */
export interface Address {
  /** The path as the routes know it, without base path and query. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** `/ns/<name>` when the request came that way; links keep it. */
  readonly basePath: string
  /** The namespace the path names; undefined when it names none. */
  readonly namespace: string | undefined
}

const basePathPattern = /^\/ns\/([^/]+)(?=\/|$)/

/** Splits a target. An absolute form (`GET http://host/path`) counts as its path. */
export function readAddress(target: string): Address {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = local.indexOf('?')
  const hash = local.indexOf('#')
  const end = hash < 0 || (mark >= 0 && mark < hash) ? mark : hash
  const whole = end < 0 ? local : local.slice(0, end)
  const query = end < 0 || end === hash ? '' : local.slice(end + 1)
  const base = whole.startsWith('/ns/') ? basePathPattern.exec(whole) : null
  if (!base) return { path: whole, query, basePath: '', namespace: undefined }
  return { path: whole.slice(base[0].length) || '/', query, basePath: base[0], namespace: base[1] }
}

/**
 * The namespace that a request names; the first counts: base path, header, key. A request with a bad key still
 * belongs where its base path says, so that a verdict sees it.
 *
 * @param ofKey the namespace of the key's record, where keys are configured.
 * @returns the name, undefined when nothing names one, or null when what names it is no name.
 */
export function namespaceOf(
  address: Address,
  incoming: Incoming,
  credential: string,
  ofKey?: string,
): string | null | undefined {
  const header = headerOf(incoming, 'x-greenroom-namespace')
  const named = address.namespace ?? (header || ofKey || namespaceOfKey(credential))
  if (named === undefined) return undefined
  return namespaceName.test(named) ? named : null
}
