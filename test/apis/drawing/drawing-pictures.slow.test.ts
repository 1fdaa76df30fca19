import sharp from 'sharp'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { dataUrl, draw, drawn, finished, press, pressed, type DrawingRecord } from '../../support/drawing.ts'

async function pngOf(
  transport: OpenTransport,
  { imageUrl }: Pick<DrawingRecord, 'imageUrl'>,
  query = '',
): Promise<Buffer> {
  const response = await transport.call(imageUrl.slice(transport.url.length) + query)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  return Buffer.from(await response.arrayBuffer())
}

async function rgb(
  png: Buffer,
  area?: { left: number; top: number; width: number; height: number },
  size?: number,
): Promise<Buffer> {
  let picture = sharp(png).removeAlpha()
  if (area) picture = picture.extract(area)
  if (size !== undefined) picture = sharp(await picture.png().toBuffer()).resize(size)
  return picture.raw().toBuffer()
}

/** The mean difference of two pictures, of 255. */
function distance(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length)
  return one.reduce((sum, value, index) => sum + Math.abs(value - other[index]!), 0) / one.length
}

const sizeOf = async (png: Buffer): Promise<[number, number]> => {
  const { width, height } = await sharp(png).metadata()
  return [width, height]
}

describeTransports((open, transport) => {
  it('draws four distinct images as one, and upscales exactly the second', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a lighthouse at dusk' })
    const png = await pngOf(gateway, grid)
    expect(await sizeOf(png)).toEqual([1024, 1024])
    const tiles = await Promise.all(
      [0, 1, 2, 3].map((tile) =>
        rgb(png, { left: (tile % 2) * 512, top: Math.floor(tile / 2) * 512, width: 512, height: 512 }),
      ),
    )
    for (const [index, tile] of tiles.entries())
      for (const other of tiles.slice(index + 1)) expect(distance(tile, other)).toBeGreaterThan(2)
    const single = await pngOf(gateway, await pressed(gateway, grid, 'U2'))
    expect(await sizeOf(single)).toEqual([1024, 1024])
    const reduced = await rgb(single, undefined, 512)
    expect(distance(reduced, tiles[1]!)).toBeLessThan(1.5)
    expect(distance(reduced, tiles[0]!)).toBeGreaterThan(2)
  })

  it('repaints only what the mask covers', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a lighthouse at dusk' }),
      'U1',
    )
    const { result } = await press(gateway, single, 'Vary (Region)')
    await draw(gateway, 'submit/modal', {
      taskId: result,
      prompt: 'a red balloon',
      maskBase64: dataUrl('mask.png'),
    })
    const repainted = await pressed(gateway, await finished(gateway, result), 'U3')
    const [before, after] = [await pngOf(gateway, single), await pngOf(gateway, repainted)]
    const left = { left: 0, top: 0, width: 500, height: 1024 }
    expect(distance(await rgb(before, left), await rgb(after, left))).toBe(0)
    const right = { left: 524, top: 0, width: 500, height: 1024 }
    expect(distance(await rgb(before, right), await rgb(after, right))).toBeGreaterThan(2)
  })

  it('contains what it zoomed out of', async () => {
    await using gateway = await open()
    const single = await pressed(
      gateway,
      await drawn(gateway, 'submit/imagine', { prompt: 'a castle on a hill' }),
      'U1',
    )
    const zoomed = await pressed(gateway, await pressed(gateway, single, 'Zoom Out 2x'), 'U4')
    const middle = await rgb(await pngOf(gateway, zoomed), { left: 256, top: 256, width: 512, height: 512 })
    expect(distance(middle, await rgb(await pngOf(gateway, single), undefined, 512))).toBeLessThan(4)
  })

  it('serves the same image, unfinished, while it is being drawn', async () => {
    await using gateway = await open({ clock: { mode: 'manual' } })
    const { result } = await draw(gateway, 'submit/imagine', { prompt: 'a castle on a hill' })
    const at = { imageUrl: `${gateway.url}/mj/image/${result}` }
    await gateway.sim.clock.advanceUntil(result, 'IN_PROGRESS')
    const until = gateway.sim.task(result).timeline.at(-1)!.from
    const lastsMs = until - gateway.sim.clock.now()
    const seen: Buffer[] = []
    for (const share of [0.2, 0.5, 0.9]) {
      await gateway.sim.clock.advance(until - lastsMs * (1 - share) - gateway.sim.clock.now())
      seen.push(await pngOf(gateway, at))
    }
    await gateway.sim.clock.advance('1m')
    const whole = await pngOf(gateway, at)
    const far = await Promise.all(seen.map(async (png) => distance(await rgb(png), await rgb(whole))))
    expect(far[0]).toBeGreaterThan(far[1]!)
    expect(far[1]).toBeGreaterThan(far[2]!)
    expect(far[2]).toBeGreaterThan(0)
    for (const png of seen) expect(await sizeOf(png)).toEqual([1024, 1024])
  })

  it('draws with the ratio in the prompt', async () => {
    await using gateway = await open()
    const wide = await drawn(gateway, 'submit/imagine', { prompt: 'a castle on a hill --ar 16:9' })
    const [width, height] = await sizeOf(await pngOf(gateway, wide))
    expect(width / height).toBeCloseTo(16 / 9, 1)
  })

  it('makes thumbnails, answers HEAD, and sends 304 to a client that has the image', async () => {
    await using gateway = await open()
    const record = await drawn(gateway, 'submit/imagine', { prompt: 'a castle on a hill' })
    expect(await sizeOf(await pngOf(gateway, record, '?width=256'))).toEqual([256, 256])
    expect(await sizeOf(await pngOf(gateway, record, '?width=wide&height=128'))).toEqual([128, 128])
    const path = record.imageUrl.slice(gateway.url.length)
    const head = await gateway.call(path, { method: 'HEAD' })
    const whole = await gateway.call(path)
    expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
    const again = await gateway.call(path, { headers: { 'if-none-match': whole.headers.get('etag')! } })
    expect(again.status).toBe(304)
  })

  it('draws the same bytes from the same seed, and others from another', async () => {
    const pngFrom = async (prompt: string, seed: number): Promise<Buffer> => {
      await using gateway = await open({ seed })
      return await pngOf(gateway, await drawn(gateway, 'submit/imagine', { prompt }))
    }
    const first = await pngFrom('a castle', 1)
    expect(first.equals(await pngFrom('a castle', 1))).toBe(true)
    expect(first.equals(await pngFrom('a castle', 2))).toBe(false)
    const pixelsFrom = async (seed: number): Promise<Buffer> =>
      sharp(await pngFrom('a castle --seed 9', seed))
        .raw()
        .toBuffer()
    expect((await pixelsFrom(1)).equals(await pixelsFrom(2))).toBe(true)
  })

  it('contains each image that was blended', async () => {
    await using gateway = await open()
    const [red, blue] = await Promise.all(['#ff0000', '#0000ff'].map(flat))
    const blended = await pngOf(gateway, await drawn(gateway, 'submit/blend', { base64Array: [red, blue] }))
    for (const tile of [0, 1, 2, 3]) {
      const area = { left: (tile % 2) * 512, top: Math.floor(tile / 2) * 512, width: 512, height: 512 }
      const pixels = await rgb(blended, area)
      let [reds, blues] = [0, 0]
      for (let at = 0; at < pixels.length; at += 3) {
        if (pixels[at]! > 200 && pixels[at + 2]! < 60) reds++
        if (pixels[at + 2]! > 200 && pixels[at]! < 60) blues++
      }
      expect(reds).toBeGreaterThan(10_000)
      expect(blues).toBeGreaterThan(10_000)
    }
  })

  if (transport !== 'direct') return

  it('uses a drawing that another one names by its URL, in every operation with images', async () => {
    await using gateway = await open()
    const grid = await drawn(gateway, 'submit/imagine', { prompt: 'a red fox in the snow --ar 3:2' })
    const fox = await pressed(gateway, grid, 'U1')
    const whole = await rgb(await pngOf(gateway, fox), undefined, 300)
    const described = await drawn(gateway, 'submit/describe', { link: fox.imageUrl })
    const copy = await pngOf(gateway, described)
    expect(await sizeOf(copy)).toEqual(await sizeOf(await pngOf(gateway, fox)))
    expect(distance(await rgb(copy, undefined, 300), whole)).toBeLessThan(1)
    expect(described.properties?.finalPrompt).toMatch(/^1️⃣ a red fox in the snow --ar \d+:\d+\n/)

    // Of pictures of pictures, too; one that isn't there stays a stand-in.
    const again = await drawn(gateway, 'submit/describe', { link: described.imageUrl })
    expect(distance(await rgb(await pngOf(gateway, again), undefined, 300), whole)).toBeLessThan(2)
    const nowhere = fox.imageUrl.replace(/\d{16}/, '1234567890123456')
    const other = await drawn(gateway, 'submit/describe', { link: nowhere })
    expect(await sizeOf(await pngOf(gateway, other))).toEqual([1024, 1024])

    const sheep = await drawn(gateway, 'submit/imagine', { prompt: 'a sheep' })
    const shows = async (path: string, fields: Record<string, unknown>): Promise<void> => {
      const known = await drawn(gateway, path, fields)
      await pngOf(gateway, known)
      expect(JSON.stringify(gateway.sim.task(known.id).request)).toContain('"prompt":"a red fox in the snow"')
    }
    await shows('submit/imagine', { prompt: `${fox.imageUrl} a fox in the city` })
    await shows('submit/blend', { base64Array: [fox.imageUrl, sheep.imageUrl] })
  })

  it('uses a drawing of drawings only up to a size', async () => {
    await using gateway = await open()
    const words = 'a kite, '.repeat(3_000)
    let known = await drawn(gateway, 'submit/imagine', { prompt: words })
    for (let depth = 0; depth < 6; depth++) {
      const base64Array = [known.imageUrl, known.imageUrl]
      known = await drawn(gateway, 'submit/blend', { base64Array })
      expect(JSON.stringify(gateway.sim.task(known.id).request).length).toBeLessThan(150_000)
    }
  })

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const)(
    'takes a %s, as a data URL and bare',
    async (format) => {
      await using gateway = await open()
      const bytes = await sharp(Buffer.from(dataUrl('rings.png').split(',')[1]!, 'base64'))
        .toFormat(format)
        .toBuffer()
      const bare = bytes.toString('base64')
      const described = await drawn(gateway, 'submit/describe', { base64: bare })
      expect(described.status).toBe('SUCCESS')
      expect(described.prompt).toMatch(/yellow|gold|orange/)
      const again = await drawn(gateway, 'submit/describe', { base64: `data:image/${format};base64,${bare}` })
      expect(again.status).toBe('SUCCESS')
    },
  )

  it('refuses an image with too many pixels', async () => {
    await using gateway = await open()
    const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#fff' } })
      .png({ compressionLevel: 9 })
      .toBuffer()
    const base64 = bomb.toString('base64')
    expect(await draw(gateway, 'submit/describe', { base64 })).toMatchObject({
      code: 4,
      description: 'base64格式错误',
    })
    expect(gateway.sim.tasks()).toEqual([])
  })
})

async function flat(background: string): Promise<string> {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .png()
    .toBuffer()
  return `data:image/png;base64,${png.toString('base64')}`
}
