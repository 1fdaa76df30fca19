import type { MediaProcess } from './encode/media-process.ts'

/** What programs of ours say of themselves; see `wasm-encoder.js` and `frame-drawer.ts`. */
export interface Message {
  version?: string
  /** How many bytes come behind it. */
  byteLength?: number
  error?: string
}

/** A message as it goes to them: a u32 length and JSON. */
export function framed(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}

/** @throws {ProcessDied} */
export async function readMessage(child: MediaProcess): Promise<Message> {
  const length = (await child.read(4)).readUInt32LE()
  return JSON.parse((await child.read(length)).toString()) as Message
}
