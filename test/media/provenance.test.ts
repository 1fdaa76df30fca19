import sharp from 'sharp'
import { expect, it } from 'vitest'
import { addProvenance } from '../../src/media/provenance/provenance.ts'
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

/** The JSON in a file, as `strings` would find it. */
function provenanceIn(bytes: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(bytes).toString('utf8')
  const start = text.indexOf('{"greenroom"')
  for (let end = text.indexOf('}', start); ; end = text.indexOf('}', end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1)) as Record<string, unknown>
    } catch {
      if (end < 0) throw new Error('The file has no provenance.')
    }
  }
}

it('writes the same into the comment of a JPEG', async () => {
  await using media = openMedia()
  const { bytes, type } = await media.picture(
    pictureSpec(imagined('a red kite'), { file: { format: 'jpeg', quality: 80 } }),
  )
  expect([type, (await sharp(bytes).metadata()).format]).toEqual(['image/jpeg', 'jpeg'])
  expect(provenanceIn(bytes)).toMatchObject({
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
  expect(provenanceIn(bytes)).toEqual({
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
  expect(provenanceIn(bytes).prompt).toBe(written)
})

it('leaves out a secret at which a long prompt is cut', async () => {
  await using media = openMedia()
  const prompt = `${'x'.repeat(1985)} https://me:secret@h.test ${'kite '.repeat(20_000)}`
  const { bytes } = await media.picture(pictureSpec(imagined(prompt)))
  expect(provenanceIn(bytes).prompt).not.toContain('me:')
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
  const { prompt, scene, task } = provenanceIn(bytes)
  expect([(prompt as string).length, scene, task]).toEqual([2000, undefined, '1700000000000001'])
})
