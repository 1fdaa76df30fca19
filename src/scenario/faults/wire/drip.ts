import { bytesOf, type Chunks, type Wire } from '../../../engine/reply.ts'
import { must } from '../../schema/fields.ts'
import { positiveNumber } from '../../schema/values.ts'
import { defineFault } from '../fault.ts'
import { slowness } from '../good-clients.ts'

const dripsPerSecond = 10
const maxDripBytes = 16 * 1024

export const drip = defineFault({
  name: 'drip',
  description: 'The body is sent slowly, a few bytes at a time.',
  fields: { bytesPerSecond: must(positiveNumber(), 'The number of bytes per second.', 2_000) },
  example: '{ type: drip, bytesPerSecond: 2000 }',
  hits: 'any',
  visibleIn: 'time',
  isHarmless: true,
  goodClient: { ...slowness, rank: 3 },
  explored: { at: ['download', 'text'], fields: { bytesPerSecond: 2_000 } },

  apply: (reply, { bytesPerSecond }) => ({
    ...reply,
    effect: { drawn: bytesPerSecond, carry: (body, wire) => sendSlowly(body, bytesPerSecond, wire) },
  }),
})

async function* sendSlowly(body: Chunks, bytesPerSecond: number, { totalBytes, now, wait }: Wire): Chunks {
  const size = Math.min(maxDripBytes, Math.max(1, Math.floor(bytesPerSecond / dripsPerSecond)))
  let dueAt = now()
  let sent = 0
  for await (const { data, ...chunk } of body) {
    const bytes = bytesOf(data)
    dueAt = Math.max(dueAt, now())
    for (let at = 0; at < bytes.length; at += size) {
      const drop = bytes.subarray(at, at + size)
      // Fractions of a millisecond carry over to the next drop.
      dueAt += (1000 * drop.length) / bytesPerSecond
      await wait(Math.ceil(dueAt) - now())
      sent += drop.length
      const isLast = at + size >= bytes.length
      // Counted with the last drop, since a client may leave as soon as it has that.
      yield { ...(isLast && chunk), data: drop, isAlone: sent < totalBytes }
    }
    if (bytes.length === 0) yield { ...chunk, data: bytes }
  }
}
