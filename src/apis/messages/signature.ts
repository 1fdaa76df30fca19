import { hash128Hex } from '../../engine/random/hash.ts'

const prefix = 'greenroom/'

/**
 * The signature of a text of thoughts, by which a change of it is found.
 * @assumed §4.9 signatures are opaque in the vendor's SDK; any text will do.
 */
export function signThinking(thinking: string): string {
  return prefix + hash128Hex(thinking)
}

/** Whether thoughts are as they were signed. Signatures of other services are not checked. */
export function checkSignature(thinking: string, signature: string): boolean {
  return !signature.startsWith(prefix) || signature === signThinking(thinking)
}
