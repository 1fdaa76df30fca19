import sharp from 'sharp'
import { expect, it } from 'vitest'
import { mediaOfTask } from '../../../src/apis/jobs/job/record.ts'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { authorization, getContent, postVideo, submitVideo } from '../../support/video.ts'

/** What a submission is answered, and what is rendered for it. */
async function submitted(
  transport: OpenTransport,
  fields: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const response = await postVideo(transport, {
    prompt: 'a kite',
    size: undefined,
    duration: undefined,
    ...fields,
  })
  const { task_id: id, message } = (await response.json()) as { task_id?: string; message?: string }
  if (id === undefined) return { status: response.status, message }
  const { width, height, seconds } = transport.sim.task(id).request
  const clip = mediaOfTask(transport.sim.core.tasks.find(id)!) as {
    width: number
    height: number
    seconds: number
  }
  return {
    video: `${String(width)}x${String(height)} ${String(seconds)}s`,
    clip: `${clip.width}x${clip.height} ${clip.seconds}s`,
    hint: response.headers.get('x-greenroom-hint'),
  }
}

/** Red, green and blue of the middle of each of the sixteen frames of a spritesheet. */
async function middlesOf(sheet: Uint8Array): Promise<number[][]> {
  const { data, info } = await sharp(sheet).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const [width, height] = [info.width / 4, info.height / 4]
  return Array.from({ length: 16 }, (_, index) => {
    const x = Math.round(((index % 4) + 0.5) * width)
    const y = Math.round((Math.floor(index / 4) + 0.4) * height)
    return [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]
  })
}

async function colouredPng(background: string): Promise<string> {
  const image = sharp({ create: { width: 64, height: 48, channels: 3, background } })
  return `data:image/png;base64,${(await image.png().toBuffer()).toString('base64')}`
}

describeTransports((open, transportName) => {
  it.each([
    [{ size: '1080p' }, '1920x1080 5s'],
    [{ size: '16:9' }, '1280x720 5s'],
    [{ size: '9:16' }, '720x1280 5s'],
    [{ size: '720P' }, '1280x720 5s'],
    [{ metadata: { resolution: '480p', aspect_ratio: '21:9' } }, '1120x480 5s'],
    [{ metadata: { resolution: '1080p', aspect_ratio: '1:1' } }, '1080x1080 5s'],
    [{ metadata: { resolution: '720p', aspect_ratio: 'adaptive' } }, '1280x720 5s'],
    [{ resolution: '480p', aspect_ratio: '9:16' }, '480x854 5s'],
    [{ duration: 12 }, '1280x720 12s'],
  ])('renders %j as it is requested', async (fields, video) => {
    await using transport = await open({ clock: { mode: 'manual' } })
    expect(await submitted(transport, fields)).toEqual({ video, clip: video, hint: null })
  })

  it.each([
    [{ size: '3840x2160' }, '3840x2160 5s', '1920x1080 5s', 'The clip is rendered in 1920x1080.'],
    [{ size: '4k' }, '3840x2160 5s', '1920x1080 5s', 'The clip is rendered in 1920x1080.'],
    [
      { metadata: { resolution: '1080p', aspect_ratio: '21:9' } },
      '2520x1080 5s',
      '1920x822 5s',
      'The clip is rendered in 1920x822.',
    ],
    [{ size: '16x16' }, '16x16 5s', '64x64 5s', 'The clip is rendered in 64x64.'],
    [{ size: '65x1' }, '66x2 5s', '1920x64 5s', 'The clip is rendered in 1920x64.'],
    [{ duration: 3600 }, '1280x720 3600s', '1280x720 60s', 'The clip has 60 s.'],
  ])('takes %j, and renders less of it with a hint', async (fields, video, clip, hint) => {
    await using transport = await open({ clock: { mode: 'manual' } })
    expect(await submitted(transport, fields)).toEqual({ video, clip, hint: expect.stringContaining(hint) })
  })

  it('refuses a length or a size only where the config does, and renders up to its bounds', async () => {
    const video = { seconds: { max: 120 }, size: { max: 2560 } }
    await using transport = await open({ clock: { mode: 'manual' }, video })
    const large = '2560x1440 120s'
    expect(await submitted(transport, { size: '2560x1440', duration: 120 })).toEqual({
      video: large,
      clip: large,
      hint: null,
    })
    expect(await submitted(transport, { duration: 121 })).toMatchObject({ status: 400 })
    expect(await submitted(transport, { size: '4k' })).toEqual({
      status: 400,
      message: 'size must have sides from 1 to 2560 pixels, not 4k',
    })
  })

  it.each([
    [{ duration: -4 }, 'duration is -4: seconds must be between 1 and 3600.'],
    [{ duration: '9999' }, 'duration is "9999": seconds must be between 1 and 3600.'],
    [{ duration: 0, seconds: '4000' }, 'seconds is "4000": seconds must be between 1 and 3600.'],
  ])('names the field and the value that it refuses: %j', async (fields, hint) => {
    await using transport = await open()
    const response = await transport.call('/v1/video/generations', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'video-1', prompt: 'a kite', ...fields }),
    })
    expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([400, hint])
    expect(await response.json()).toMatchObject({ message: 'seconds must be between 1 and 3600' })
  })

  it.each([
    [{ duration: 0 }, 'duration is 0, which stands for the default: the video has 5 s.'],
    [{ duration: '0' }, 'duration is "0", which stands for the default: the video has 5 s.'],
    [{ seconds: '0' }, 'seconds is "0", which stands for the default: the video has 5 s.'],
    [{ duration: 'long' }, 'duration is "long", which is no whole number and is ignored: the video has 5 s.'],
  ])('says what becomes of %j', async (fields, hint) => {
    await using transport = await open({ clock: { mode: 'manual' } })
    expect(await submitted(transport, fields)).toMatchObject({ video: '1280x720 5s', hint })
  })

  it('bills and reports a video as it was requested, not as it is rendered', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { size: '3840x2160', duration: 100 })
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const response = await transport.call(`/v1/videos/${id}`, { headers: { authorization } })
    const tokens = (3840 * 2160 * 24 * 100) / 1024
    expect(await response.json()).toMatchObject({
      size: '3840x2160',
      seconds: '100',
      usage: { completion_tokens: tokens, total_tokens: tokens },
    })
  })

  it('has no usage before a video is done', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    const response = await transport.call(`/v1/videos/${id}`, { headers: { authorization } })
    expect(await response.json()).not.toHaveProperty('usage')
  })

  it.each([
    ['thumbnail', 'webp', { format: 'webp', width: 128, height: 96 }],
    ['spritesheet', 'png', { format: 'png', width: 512, height: 384 }],
  ])('gives the %s of a video as %s', async (variant, extension, picture) => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const response = await transport.call(`/v1/videos/${id}/content?variant=${variant}`, {
      headers: { authorization },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `image/${extension}`])
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="${id}.${extension}"`)
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject(picture)
  })

  it('refuses an unknown variant, and ignores all of them by quirk', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const refused = await transport.call(`/v1/videos/${id}/content?variant=poster`, {
      headers: { authorization },
    })
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: {
          message: 'variant is "poster". Use video, thumbnail, spritesheet.',
          type: 'invalid_request_error',
        },
      },
    ])
  })

  it('keeps the variant in a signed link', async () => {
    await using transport = await open({ quirks: { contentDelivery: 'redirect' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const redirect = await transport.call(`/v1/videos/${id}/content?variant=thumbnail`, {
      headers: { authorization },
      redirect: 'manual',
    })
    const thumbnail = await transport.fetch(redirect.headers.get('location')!)
    expect(thumbnail.headers.get('content-type')).toBe('image/webp')
  })

  // No transport knows the quality of a clip, and an encoder takes long to start.
  it.each(transportName === 'direct' ? (['fast', 'full'] as const) : (['fast'] as const))(
    'shows each of the images of a video in quality %s, the first one first',
    async (quality) => {
      await using transport = await open({ quality, caption: false })
      const images = await Promise.all(['#c00000', '#00a000', '#0000c0'].map(colouredPng))
      const id = await submitVideo(transport, { images, duration: 3 })
      await transport.sim.clock.advanceUntil(id, 'SUCCESS')
      const response = await transport.call(`/v1/videos/${id}/content?variant=spritesheet`, {
        headers: { authorization },
      })
      const middles = await middlesOf(new Uint8Array(await response.arrayBuffer()))
      const strongest = middles.map((colour) => 'rgb'[colour.indexOf(Math.max(...colour))]).join('')
      expect(strongest).toMatch(/^r{5,6}g{5,6}b{5,6}$/)
    },
  )

  it('shows two images even in a video of one second, and a picture that comes twice only once', async () => {
    await using transport = await open()
    const [red, blue] = [await colouredPng('#c00000'), await colouredPng('#0000c0')]
    for (const [fields, count] of [
      [{ images: [red, blue] }, 2],
      [{ image: red, images: [red] }, 1],
      [{ image: red, input_reference: blue }, 2],
    ] as const) {
      const id = await submitVideo(transport, fields)
      await transport.sim.clock.advanceUntil(id, 'SUCCESS')
      expect((await getContent(transport, id)).status).toBe(200)
      const sheet = await transport.call(`/v1/videos/${id}/content?variant=spritesheet`, {
        headers: { authorization },
      })
      const middles = await middlesOf(new Uint8Array(await sheet.arrayBuffer()))
      expect(new Set(middles.map((colour) => colour.indexOf(Math.max(...colour)))).size).toBe(count)
    }
  })
})
