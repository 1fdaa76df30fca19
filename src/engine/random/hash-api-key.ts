import { hash128Hex } from './hash128.ts'

const maxRemembered = 1_000
const isSealed = /^#[0-9a-f]{32}$/
const sealed = new Map<string, string>()

/**
 * The name under which a key is counted and kept: a hash, so that no file and no document has a key in it that opens
 * something elsewhere. A namespace's key is no secret and stays as it is, and so does a name.
 *
 * @example
 * hashApiKey('sk-sim-team') // 'sk-sim-team'
 * hashApiKey('sk-proj-123').length // 33
 */
export function hashApiKey(credential: string): string {
  if (credential === '' || credential.startsWith('sk-sim-') || isSealed.test(credential)) return credential
  let name = sealed.get(credential)
  if (name === undefined) {
    name = `#${hash128Hex(credential)}`
    if (sealed.size >= maxRemembered) sealed.clear()
    sealed.set(credential, name)
  }
  return name
}
