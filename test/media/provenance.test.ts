import fc from 'fast-check'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { addToMp4, commentOfMp4, addToPng } from '../../src/media/provenance/comments.ts'
import { addProvenance, maxProvenanceLength } from '../../src/media/provenance/provenance.ts'
import { readDrawing, readProvenance, toDrawing } from '../../src/media/provenance/read-provenance.ts'
import type { ClipSpec, PictureSpec } from '../../src/media/spec.ts'
import { startProcessorTimer } from '../support/processor-time.ts'
import { flat, openMedia } from './open.ts'

type Drawing = PictureSpec['drawing']

const imagined = (prompt: string, more = {}): Drawing => ({
  base: { kind: 'imagine', prompt, model: '7', seed: 7, width: 64, height: 64, ...more },
  edits: [],
})
const pictureSpec = (drawing: Drawing, more = {}): PictureSpec => ({
  kind: 'picture',
  drawing,
  taskId: '1700000000000001',
  ...more,
})
const clipSpec = (more: Partial<ClipSpec> = {}): ClipSpec => ({
  kind: 'clip',
  prompt: 'a red kite',
  model: 'video-1',
  seed: '7',
  taskId: 'task_1',
  width: 128,
  height: 96,
  seconds: 1,
  framesPerSecond: 12,
  quality: 'fast',
  caption: true,
  ...more,
})

it('writes the same into the comment of a JPEG', async () => {
  await using media = openMedia()
  const { bytes, type } = await media.picture(
    pictureSpec(imagined('a red kite'), { file: { format: 'jpeg', quality: 80 } }),
  )
  expect([type, (await sharp(bytes).metadata()).format]).toEqual(['image/jpeg', 'jpeg'])
  expect(readProvenance(bytes)).toMatchObject({
    greenroom: 1,
    task: '1700000000000001',
    prompt: 'a red kite',
  })
})

it('writes task, model, seed, prompt and scene into each PNG, where other software finds them', async () => {
  await using media = openMedia()
  const spec = pictureSpec(imagined('a red kite'))
  const { bytes } = await media.picture(spec)
  const { comments = [], density, space } = await sharp(bytes).metadata()
  expect([density, space]).toEqual([72, 'srgb'])
  expect(comments.map(({ keyword }) => keyword)).toEqual(['Software', 'Comment'])
  const { taskId, ...scene } = spec
  expect(JSON.parse(comments[1]!.text)).toEqual({
    greenroom: 1,
    task: taskId,
    model: '7',
    seed: '7',
    prompt: 'a red kite',
    scene,
    pixels: expect.stringMatching(/^[0-9a-f]{8}$/),
  })
})

it('writes the same into each MP4, and moves the offsets of its frames', async () => {
  await using media = openMedia()
  const { bytes } = await media.clip(clipSpec())
  const { prompt, model, seed, taskId, ...scene } = clipSpec()
  expect(JSON.parse(commentOfMp4(bytes, 10_000)!)).toEqual({
    greenroom: 1,
    task: taskId,
    model,
    seed,
    prompt,
    scene,
  })
  const buffer = Buffer.from(bytes)
  const firstFrame = buffer.readUInt32BE(buffer.indexOf('stco') + 12)
  expect(firstFrame).toBe(buffer.indexOf('mdat') + 4)
})

it('gives two tasks of one picture the same pixels, other files and other tags', async () => {
  await using media = openMedia()
  const [one, two, again] = await Promise.all(
    ['1', '2', '1'].map((taskId) => media.picture({ ...pictureSpec(imagined('a red kite')), taskId })),
  )
  const pixelsOf = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).raw().toBuffer()
  expect(await pixelsOf(one!.bytes)).toEqual(await pixelsOf(two!.bytes))
  expect(one!.bytes).not.toEqual(two!.bytes)
  expect(one!.etag).not.toBe(two!.etag)
  expect(again).toEqual(one)
})

it('leaves API keys and the secrets of URLs out of files', async () => {
  await using media = openMedia()
  const url = 'https://me:password@pictures.example/kite.png?signature=abc#part'
  const image = { url, width: 64, height: 64, colours: ['#808080'] as const }
  const prompt = 'a kite for sk-abcdefghijklmnopqrstuvwxyz'
  const { bytes } = await media.picture(pictureSpec(imagined(prompt, { images: [image] })))
  const text = Buffer.from(bytes).toString('latin1')
  expect(text).toContain('https://pictures.example/kite.png"')
  for (const secret of ['sk-abcdef', 'password', 'signature']) expect(text).not.toContain(secret)
})

it.each([
  ['see https://me:pass@word@h.test/x.png?sig=SECRET for it', 'see https://h.test/x.png for it'],
  ['ftp://me:secret@h.test and http://a.test/x#secret, too', 'ftp://h.test and http://a.test/x too'],
  ['https://a.test/https://me:secret@b.test/x', 'https://a.test/https://b.test/x'],
  ['mail me@a.test at 10://2', 'mail me@a.test at 10://2'],
  ['one\nsk-abcdefghijklmnopqrst', 'one\nsk-…'],
  ['sk_live_51HxyzABCDEFGHIJKL, KEY-0123456789abcdef', 'sk_…, KEY-…'],
  ['Bearer abcdefghijklmnopqrst', 'Bearer …'],
  ['authorization: bearer abc+def/ghi=jkl~mno.pqr', 'authorization: bearer …'],
  ['key internationalization-patterns', 'key internationalization-patterns'],
])('writes the prompt %j as %j', async (prompt, written) => {
  await using media = openMedia()
  const { bytes } = await media.picture(pictureSpec(imagined(prompt)))
  expect(readProvenance(bytes)!.prompt).toBe(written)
})

it('leaves out a secret at which a long prompt is cut', async () => {
  await using media = openMedia()
  const prompt = `${'x'.repeat(1985)} https://me:secret@h.test ${'kite '.repeat(20_000)}`
  const { bytes } = await media.picture(pictureSpec(imagined(prompt)))
  expect(readProvenance(bytes)!.prompt).not.toContain('me:')
})

it.each(['://', 'https://a@', '://a@', 'key-', 'bearer ', 'sk-bearer\n', '?://'])(
  'takes no long time to find the secrets of many %j',
  async (part) => {
    const spec = pictureSpec(imagined(part.repeat(100_000)))
    const ended = startProcessorTimer()
    await addProvenance({ bytes: await flat('#ff0000', 4, 4), type: 'image/png', etag: '' }, spec)
    expect(ended()).toBeLessThan(2_000)
  },
)

it('leaves out a scene that is too long, and shortens the prompt', async () => {
  await using media = openMedia()
  const { bytes } = await media.picture(pictureSpec(imagined('kite '.repeat(20_000))))
  const { prompt, scene, task } = readProvenance(bytes)!
  expect([prompt!.length, scene, task]).toEqual([2000, undefined, '1700000000000001'])
})

it('recognises a picture of its own that comes back, also as a thumbnail', async () => {
  await using media = openMedia()
  const drawing = imagined('a red kite')
  for (const more of [{}, { maxSide: 32 }]) {
    const { bytes } = await media.picture(pictureSpec(drawing, more))
    const image = await media.receiveImage(bytes)
    expect(image.drawing).toEqual(drawing)
    expect((await media.received(image.digest))!.image).toEqual({
      ...image,
      width: expect.any(Number),
      height: expect.any(Number),
    })
  }
})

it('takes an edited copy, an unfinished picture and one of a grid for what they are', async () => {
  await using media = openMedia()
  const drawing = imagined('a red kite')
  const { bytes } = await media.picture(pictureSpec(drawing))
  const comment = (await sharp(bytes).metadata()).comments!.at(-1)!.text
  const edited = addToPng(await flat('#ff0000', 64, 64), comment)
  expect(readProvenance(edited)).toBeDefined()
  expect((await media.receiveImage(edited)).drawing).toBeUndefined()
  for (const more of [{ progress: 40 }, { tile: 2 }]) {
    const part = await media.picture(pictureSpec(drawing, more))
    expect((await media.receiveImage(part.bytes)).drawing).toBeUndefined()
  }
})

it.each<[string, unknown]>([
  ['a colour that is no colour', { images: [{ width: 1, height: 1, colours: ['"/><script>'] }] }],
  ['a digest that is a path', { images: [{ digest: '../../x', width: 1, height: 1, colours: ['#000000'] }] }],
  ['a size that is too large', { width: 1e9 }],
  ['a field that is unknown', { href: 'file:///etc/passwd' }],
])('refuses a forged drawing with %s', (_what, more) => {
  const drawing = { base: { ...imagined('a kite').base, ...(more as object) }, edits: [] }
  expect(toDrawing({ kind: 'picture', drawing: imagined('a kite') })).toBeDefined()
  expect(toDrawing({ kind: 'picture', drawing })).toBeUndefined()
})

it('refuses a forged drawing that would take long to draw, or is nested without end', () => {
  const photoOf = (drawing: unknown): unknown => ({ drawing, width: 64, height: 64, colours: ['#808080'] })
  let nested: unknown = imagined('a kite')
  const drawings = [3, 20, 5000].map((depth) => {
    for (let level = 0; level < depth; level += 1)
      nested = { base: { kind: 'photo', image: photoOf(nested), width: 64, height: 64 }, edits: [] }
    return toDrawing({ kind: 'picture', drawing: nested })
  })
  expect(drawings.map((each) => each !== undefined)).toEqual([true, false, false])
  const edits = Array(40).fill({ do: 'enlarge', creative: true, seed: 1 })
  expect(toDrawing({ kind: 'picture', drawing: { ...imagined('a kite'), edits } })).toBeUndefined()
})

it('survives every comment and every damage', async () => {
  await using media = openMedia()
  const png = (await media.picture(pictureSpec(imagined('a red kite')))).bytes
  const mp4 = (await media.clip(clipSpec())).bytes
  const plain = await flat('#ff0000', 8, 8)
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.nat({ max: 255 }), (comment, place, value) => {
      expect(readDrawing(addToPng(plain, comment))).toBeUndefined()
      for (const bytes of [png, mp4]) {
        const damaged = bytes.slice()
        damaged[place % Math.min(bytes.length, 2000)] = value
        readDrawing(damaged)
        readProvenance(bytes.subarray(0, place % bytes.length))
      }
    }),
  )
})

it('keeps any comment that is not too long', () => {
  const moov = Buffer.from('\0\0\0\x08moov', 'latin1')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (comment) => {
      expect(commentOfMp4(addToMp4(moov, comment), maxProvenanceLength)).toBe(comment)
    }),
  )
})
