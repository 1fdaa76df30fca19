import type { Reply } from '../../gateway/replies/reply.ts'
import { indented } from './indented.ts'

export const nativeHeaders = { 'Content-Type': 'application/json; charset=UTF-8' }

/** An answer as the vendor writes it (wire §8.3): two spaces of indent, and a line break at the end. */
export function nativeReply(body: unknown): Reply {
  return {
    status: 200,
    headers: nativeHeaders,
    body: `${indented(body)}\n`,
    delayMs: 0,
  }
}
