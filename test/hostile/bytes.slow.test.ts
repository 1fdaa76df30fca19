import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, knownRequests } from './corpus.ts'
import { openWatched, runs, seed } from './open.ts'
import pieces from './pieces.json' with { type: 'json' }
import { answersIn, sendRaw } from './raw.ts'
import { expectSound } from './sound.ts'
import { codePoint } from '../support/arbitraries.ts'

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
  piece: fc.oneof(fc.constant(''), fc.constantFrom(...pieces), fc.string({ unit: codePoint, maxLength: 4 })),
})

// sendRaw closes its side at once, as a client that leaves does. So a stream of images, which takes time to draw, breaks off.
const quickRequests = knownRequests.filter(
  ({ path, body = '' }) => !(path.includes('/images/') && /"stream":\s*true/.test(body)),
)

/** Up to three known requests behind each other, with up to four changes anywhere in their bytes. */
const stream = fc
  .record({
    requests: fc.array(fc.constantFrom(...quickRequests), { minLength: 1, maxLength: 3 }),
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 }),
  })
  .map(({ requests, changes, cuts }) => {
    let bytes = Buffer.concat(requests.map((each) => bytesOf(each)))
    for (const { at, removed, piece } of changes) {
      const from = Math.floor(at * bytes.length)
      const inserted = Buffer.from(piece, 'latin1')
      bytes = Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + removed)])
    }
    const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b)]
    return places.map((place, index) => bytes.subarray(place, places[index + 1]))
  })

it(
  'answers any bytes with sound answers or a clean end, and goes on',
  { timeout: runs(60_000) },
  async () => {
    await using server = await openWatched()
    const property = fc.asyncProperty(fc.array(stream, { minLength: 8, maxLength: 8 }), async (streams) => {
      await Promise.all(
        streams.map(async (sent) => {
          const { bytes, closed } = await sendRaw(server.url, sent)
          const request = JSON.stringify(Buffer.concat(sent).toString('latin1'))
          expect(closed, `it hangs: ${request}`).toBe(true)
          for (const answer of answersIn(bytes, methodsIn(sent))) {
            const type = answer.headers.get('content-type') ?? ''
            const isText = /json|text/.test(type)
            expectSound({ status: answer.status, type, text: isText ? answer.body.toString() : '' }, request)
          }
        }),
      )
      expect(server.mistakes).toEqual([])
      const alive = await fetch(`${server.url}/_greenroom/health`)
      expect(alive.status).toBe(200)
    })
    await fc.assert(property, { numRuns: runs(100), seed, endOnFailure: true })
    await expect.poll(() => server.sim.journal({ outcome: 'open' })).toEqual([])
    expect(server.sim.clock.status().waiters).toBe(0)
  },
)

/** The response to HEAD has a length and no bytes, so only complete HEAD requests are recognized. */
function methodsIn(sent: readonly Buffer[]): string[] {
  return [
    ...Buffer.concat(sent)
      .toString('latin1')
      .matchAll(/^([A-Z]+) \S+ HTTP\/1\.1\r?$/gm),
  ].map(([, method]) => method!)
}
