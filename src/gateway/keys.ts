import { headerOf, type Incoming } from './incoming.ts'

/** Which keys are let in. */
export interface KeySettings {
  /** Keys that work; when empty, every key that starts with `sk-` does. */
  keys: readonly string[]
}

const namespacePrefix = 'sk-sim-'

/**
 * The credential of a request, as sent, without its scheme.
 *
 * §5 `Authorization: Bearer <API_KEY>`.
 * @assumed §5 a lower-case scheme, a bare key and the drawing proxies' `mj-api-secret` work too; wire §1.2.
 */
export function credentialOf(incoming: Pick<Incoming, 'headers'>): string {
  const authorization = withoutScheme(headerOf(incoming, 'authorization'))
  if (authorization !== '' && authorization !== 'midjourney-proxy') return authorization
  return withoutScheme(headerOf(incoming, 'mj-api-secret'))
}

/** @returns a check of credentials. Keys of namespaces (`sk-sim-…`) work beside configured ones. */
export function keyCheck({ keys }: KeySettings): (credential: string) => boolean {
  if (keys.length === 0) return (credential) => credential.startsWith('sk-') && credential.length > 3
  const known = new Set(keys)
  return (credential) =>
    credential !== '' && (known.has(credential) || credential.startsWith(namespacePrefix))
}

/** The namespace that a key names: `sk-sim-<name>` or `sk-sim-<name>.<label>`. Undefined when it names none. */
export function namespaceOfKey(credential: string): string | undefined {
  if (!credential.startsWith(namespacePrefix)) return undefined
  const name = credential.slice(namespacePrefix.length)
  const dot = name.indexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}

/** A key as the journal shows it: enough to tell two apart, not enough to use. */
export function maskKey(credential: string): string {
  if (credential === '' || credential.startsWith(namespacePrefix)) return credential
  return credential.length < 12
    ? `${credential.slice(0, 3)}…`
    : `${credential.slice(0, 5)}…${credential.slice(-2)}`
}

function withoutScheme(value: string): string {
  return /^bearer /i.test(value) ? value.slice(7).trim() : value.trim()
}
