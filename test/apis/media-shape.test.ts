import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { boxesOf } from '../media/clips.ts'
import { describeTransports, openSocket, type OpenTransport } from '../support/transports.ts'
import { drawn } from '../support/drawing.ts'
import { authorization, getContent, submitVideo } from '../support/video.ts'

const kite = fileURLToPath(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

const pathOf = (transport: OpenTransport, url: string): string => url.slice(transport.url.length)

async function downloadVideo(transport: OpenTransport, id: string): Promise<Uint8Array> {
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  return new Uint8Array(await (await getContent(transport, id)).arrayBuffer())
}

describeTransports((open) => {
  it('renders the video with the duration, size and frame rate of the rule that matched its submission', async () => {
    const media = { seconds: 2, size: '64x48', fps: 6 }
    await using transport = await open({ rules: [{ match: { op: 'video.submit' }, media }] })
    const id = await submitVideo(transport)
    const video = boxesOf(await downloadVideo(transport, id))
    expect(video).toMatchObject({ width: 64, height: 48, frames: 12, seconds: 2 })
    const record = (await (
      await transport.call(`/v1/videos/${id}`, { headers: { authorization } })
    ).json()) as unknown
    expect(record).toMatchObject({ seconds: '1', size: '128x96' })
  })

  it('serves a file instead of a video, with ranges and an entity tag', async () => {
    await using transport = await open({ rules: [{ match: { op: 'video.submit' }, media: { file: kite } }] })
    const id = await submitVideo(transport)
    const bytes = readFileSync(kite)
    expect(Buffer.from(await downloadVideo(transport, id)).equals(bytes)).toBe(true)
    const part = await getContent(transport, id, { headers: { range: 'bytes=1-3' } })
    expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([
      206,
      'image/png',
      'PNG',
    ])
  })

  it('serves other bytes only for downloads that match the rule', async () => {
    const rules = [{ match: { op: 'video.content' }, on: 2, media: { file: kite } }]
    await using transport = await open({ rules })
    const id = await submitVideo(transport)
    const video = await downloadVideo(transport, id)
    expect((await getContent(transport, id)).headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await downloadVideo(transport, id)).equals(video)).toBe(true)
  })

  it('draws an image at the size in the rule, or serves a file instead', async () => {
    const rules = [
      { match: { op: 'mj.imagine' }, on: 1, media: { size: '320x160' } },
      { match: { op: 'mj.imagine' }, on: 2, media: { file: kite } },
    ]
    await using transport = await open({ rules })
    const pictures = []
    for (const prompt of ['a lighthouse', 'a kite']) {
      const { imageUrl } = await drawn(transport, 'submit/imagine', { prompt })
      const picture = await (await transport.call(pathOf(transport, imageUrl))).arrayBuffer()
      const { width, height } = await sharp(Buffer.from(picture)).metadata()
      pictures.push([width, height])
    }
    expect(pictures).toEqual([
      [320, 160],
      [64, 48],
    ])
  })
})

it('reports a missing file like a video that failed to render', async () => {
  const rules = [{ match: { op: 'video.submit' }, media: { file: '/nowhere/video.mp4' } }]
  await using transport = await openSocket({ rules, cacheDir: false })
  const id = await submitVideo(transport)
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  const response = await getContent(transport, id)
  expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([
    502,
    'Failed to serve /nowhere/video.mp4: there is no such file.',
  ])
  await response.text()
  await expect
    .poll(() => transport.sim.journal().at(-1))
    .toMatchObject({ outcome: 'failed', status: 502, content: null })
})

it.each([
  [{ file: 'video.mp4' }, 'media.file is "video.mp4": give an absolute path'],
  [{ seconds: 0 }, 'media.seconds is 0: must be at least 1'],
  [{ fps: 1000 }, 'media.fps is 1000: must be at most 60'],
  [{ size: 'huge' }, 'media.size is "huge": must be WIDTHxHEIGHT'],
])('refuses a rule with %j', (media, message) => {
  expect(() => createSimulator({ rules: [{ match: { op: 'video.submit' }, media }] })).toThrow(message)
})
