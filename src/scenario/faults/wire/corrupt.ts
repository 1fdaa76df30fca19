import { bytesOf, type Chunks } from '../../../engine/reply.ts'
import { may } from '../../schema/fields.ts'
import { positive } from '../../schema/values.ts'
import { defineFault } from '../fault.ts'
import { byteAt } from './break-off.ts'

const maxBytes = 10_000

export const corrupt = defineFault({
  name: 'corrupt',
  description: 'Some bytes of the body are wrong, but length and entity tag are those of the intact body.',
  fields: { bytes: may(positive(maxBytes), 'The number of wrong bytes. Default 16.', 3) },
  hits: 'any',
  visibleIn: 'content',
  altersBody: true,
  goodClient: {
    reaction: 'verify-and-repeat',
    expected: 'either',
    family: 'corrupt bytes',
    rank: 4,
    isAcceptanceUnknown: true,
  },
  explored: { at: ['download'], isOnlyNamed: true },

  apply(reply, { bytes = 16 }, { draw }) {
    const count = Math.min(maxBytes, bytes)
    const shares = Array.from({ length: count }, (_, index) => draw(`corrupt/${index}`))
    const carry = (body: Chunks, { totalBytes }: { totalBytes: number }): Chunks =>
      invertBytes(body, choosePlaces(totalBytes, shares))
    return { ...reply, effect: { drawn: shares, isAltered: true, carry } }
  },
})

/** Chooses as many bytes as there are shares. If two shares select one byte, the second takes the next free byte. */
function choosePlaces(totalBytes: number, shares: readonly number[]): ReadonlySet<number> {
  const places = new Set<number>()
  for (const share of shares.slice(0, totalBytes)) {
    let place = byteAt(totalBytes, share)
    while (places.has(place)) place = (place + 1) % totalBytes
    places.add(place)
  }
  return places
}

/** Inverts every bit of a byte, so that it always changes. */
async function* invertBytes(body: Chunks, places: ReadonlySet<number>): Chunks {
  let start = 0
  for await (const chunk of body) {
    const data = bytesOf(chunk.data).slice()
    for (const place of places) {
      const index = place - start
      if (index >= 0 && index < data.length) data[index]! ^= 0xff
    }
    start += data.length
    yield { ...chunk, data }
  }
}
