import type { Reply } from '../../gateway/reply.ts'

/** An answer as the vendor writes it (wire §8.3): two spaces of indent, and a line break at the end. */
export function nativeReply(body: unknown): Reply {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
    body: `${JSON.stringify(body, null, 2)}\n`,
    delayMs: 0,
  }
}
