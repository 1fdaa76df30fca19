import { webcrypto } from 'node:crypto'

/** The SHA-256 of some bytes, computed beside the event loop: a long clip would hold it up. */
export async function digestOf(bytes: Uint8Array): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}
