import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'

/** The SHA-256 of a short text in UTF-8, computed synchronously. */
export function sha256OfText(text: string): Uint8Array {
  return sha256(text)
}

/** The same in hexadecimal. */
export function hexDigestOfText(text: string): string {
  return bytesToHex(sha256(text))
}

/**
 * The SHA-256 of bytes, computed in parallel with the event loop, since a long clip would block that. A page that came over
 * plain HTTP from another host has no `crypto.subtle`, and blocks.
 */
export async function hashBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  if (!subtle) return sha256(bytes)
  return new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

/** The same in hexadecimal. */
export async function hexDigestOf(bytes: Uint8Array): Promise<string> {
  return bytesToHex(await hashBytes(bytes))
}
