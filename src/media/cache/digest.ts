import { hexOf, sha256 } from './sha256.ts'

/**
 * The SHA-256 of some bytes, computed off the main thread. A page that was loaded over plain HTTP has no
 * `crypto.subtle`, and computes it itself.
 */
export async function digestOf(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  if (!subtle) return sha256(bytes)
  return new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

/** The same in hexadecimal. */
export async function hexDigestOf(bytes: Uint8Array): Promise<string> {
  return hexOf(await digestOf(bytes))
}
