import fc from 'fast-check'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { boxesOf } from '../../src/media/h264/boxes.ts'
import { nodeMedia } from '../../src/media/node.ts'
import { chunksOfPng } from '../../src/media/provenance/comments.ts'
import { manyParts } from './containers.ts'
import { runs, seed } from './open.ts'
import { receive } from './receive.ts'

const small = { create: { width: 40, height: 30, channels: 3, background: '#a05030' } } as const

const formats = ['png', 'jpeg', 'gif', 'webp', 'avif', 'tiff'] as const
const pictures = await Promise.all(formats.map((format) => sharp(small).toFormat(format).toBuffer()))

it(
  'takes or refuses pictures in which anything was changed, and nothing else',
  { timeout: runs(60_000) },
  async () => {
    const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
    const change = fc.record({
      picture: fc.constantFrom(...pictures),
      length: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 6 }),
      more: fc.uint8Array({ maxLength: 20 }),
    })
    const property = fc.asyncProperty(change, async ({ picture, length, flips, more }) => {
      const bytes = Buffer.concat([picture.subarray(0, Math.floor(length * picture.length)), more])
      for (const [at, value] of flips) bytes[Math.floor(at * bytes.length)] = value
      await receive(media, bytes)
    })
    await fc.assert(property, { numRuns: runs(120), seed, endOnFailure: true })
    expect(await receive(media, pictures[0]!)).toBe('taken')
    await media.close()
  },
)

/** The beginning of a PNG that says how large it is, and has nothing of it. */
function announced(width: number, height: number): Buffer {
  const bytes = Buffer.from(pictures[0]!)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

it.each([
  ['an image that claims to be larger than memory', announced(60_000, 60_000)],
  ['a picture without any width', announced(0, 100)],
  [
    'a drawing that could name files',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>'),
  ],
  [
    'a drawing behind a declaration',
    Buffer.from('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><svg/>'),
  ],
  ['a document', Buffer.from('%PDF-1.7\n')],
  ['nothing', Buffer.alloc(0)],
])('refuses %s', async (_what, bytes) => {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
  expect(await receive(media, bytes)).toMatch(/^The image is/)
  await media.close()
})

it('decodes no more of a bomb than its limit of pixels', async () => {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false, imagePixels: 10_000 })
  const bomb = await sharp({ create: { ...small.create, width: 4_000, height: 4_000 } })
    .png()
    .toBuffer()
  expect(bomb.length).toBeLessThan(1_000_000)
  expect(await receive(media, bomb)).toContain('16.0 megapixels')
  await media.close()
})

it.each(Object.entries(manyParts).filter(([name]) => !/nested|TIFF/.test(name)))(
  'decodes nothing of %s',
  async (_name, make) => {
    const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
    expect(await receive(media, make())).toMatch(
      /^The image has too many parts: at most \d+ chunks or frames/,
    )
    await media.close()
  },
)

it('reads comments among a bounded number of chunks or boxes', () => {
  // Each step over millions of these takes microseconds, and needs memory.
  expect([...chunksOfPng(manyParts['a PNG of empty chunks']!())].length).toBeLessThanOrEqual(20_000)
  expect(boxesOf(manyParts['an AVIF of boxes']!()).length).toBeLessThanOrEqual(10_000)
})
