import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { BrowserOptions } from '../../src/browser.ts'
import { createSimulator } from '../../src/index.ts'
import { meanDifference } from '../media/clips.ts'
import { pngHeader, raster } from '../media/open.ts'
import { dataUrl } from '../support/drawing.ts'
import { goldenNames, goldenOf } from '../support/golden.ts'
import { itInChromium } from './chromium.ts'
import { reloadPage, openPage, press } from './open-page.ts'
import { served } from './site.ts'
import { ask, createVideo, walks } from './walk.js'

// The page as the Vite dev server serves it: packages, including greenroom, are pre-bundled.
const opened = openPage(served)

itInChromium('plays a video', async () => {
  const page = opened()
  await press(page, 'video')
  const video = page.locator('video')
  const properties = await video.evaluate(({ videoWidth, videoHeight, duration }: HTMLVideoElement) => ({
    videoWidth,
    videoHeight,
    duration,
  }))
  expect(properties).toEqual({ videoWidth: 1280, videoHeight: 720, duration: 5 })
  await expect
    .poll(() => video.evaluate((each: HTMLVideoElement) => each.currentTime), { timeout: 20_000 })
    .toBeGreaterThan(0.3)
})

itInChromium.each([['a tone', { audio: 'tone' }]] as const)('plays the sound of %s', async (_, options) => {
  const sound = await opened().evaluate(async (each) => {
    const request = { model: 'video-1', prompt: 'a bell', duration: 2, size: '320x180' }
    const bytes = await walk.createVideo(greenroom.createSimulator(each), request)
    const video = document.createElement('video')
    video.muted = true
    video.src = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'video/mp4' }))
    await video.play()
    await new Promise((resolve) => (video.onended = resolve))
    const { duration } = video
    const decoded = (video as HTMLVideoElement & { webkitAudioDecodedByteCount: number })
      .webkitAudioDecodedByteCount
    const context = new OfflineAudioContext(2, 48_000, 48_000)
    const audio = await context.decodeAudioData(Uint8Array.from(bytes).buffer)
    const peak = audio.getChannelData(0).reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    return { duration, decoded, channels: audio.numberOfChannels, seconds: audio.duration, peak }
  }, options)
  expect(sound).toMatchObject({ duration: 2, channels: 2 })
  expect(sound.decoded).toBeGreaterThan(1000)
  expect(Math.abs(sound.seconds - 2)).toBeLessThan(0.03)
  expect(sound.peak).toBeGreaterThan(0.1)
})

itInChromium('shows a drawing', async () => {
  const page = opened()
  await press(page, 'drawing')
  const size = await page
    .locator('img')
    .evaluate(({ naturalWidth, naturalHeight }: HTMLImageElement) => [naturalWidth, naturalHeight])
  expect(size).toEqual([1024, 1024])
})

itInChromium('reads a text word by word', async () => {
  const page = opened()
  await press(page, 'text')
  const text = page.locator('#text')
  expect(await text.textContent()).toContain('fox')
  expect(await text.evaluate((each) => each.childNodes.length)).toBeGreaterThan(5)
})

itInChromium('hands on the words of a text when the clock says so, and not before', async () => {
  const page = opened()
  await page.evaluate(() => {
    sim.clock.set('manual')
    sim.next('chat.complete', {
      stream: { text: 'first second', chunk: 'word', stall: { afterChunk: 1, for: '1m' } },
    })
  })
  await page.locator('[name=text]').click()
  const text = page.locator('#text', { hasText: 'first' })
  await text.waitFor()
  expect(await text.textContent()).not.toContain('second')

  await page.evaluate(() => sim.clock.advance('1m'))
  await page.locator('#text', { hasText: 'first second' }).waitFor()
  await page.evaluate(() => sim.clock.set('auto'))
})

itInChromium('fails a request with a network error, as fetch does', async () => {
  const page = opened()
  const error = await page.evaluate(async () => {
    sim.next('models.list', { fault: 'reset' })
    const headers = { authorization: 'Bearer sk-page' }
    const response = fetch('https://gateway.example/v1/models', { headers })
    return response.then(
      ({ status }) => status,
      (failure: Error) => failure.name,
    )
  })
  expect(error).toBe('TypeError')
  expect(await page.evaluate(() => sim.journal({ operation: 'models.list' }).length)).toBe(1)
})

itInChromium('judges the page by its scenario', async () => {
  const page = await reloadPage(opened())
  await press(page, 'video')
  const verdict = await page.evaluate(() => sim.verdict())
  expect(verdict).toMatchObject({ name: 'a bad minute', passed: true })
})

itInChromium('answers every golden exchange as in Node', async () => {
  const goldens = goldenNames.map((name) => ({ name, ...goldenOf(name) }))
  const seen = await opened().evaluate(async (each) => {
    const answers = []
    for (const golden of each) {
      const sim = greenroom.createSimulator({
        seed: 1,
        clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' },
        publicUrl: 'http://127.0.0.1:4646',
        ...(golden.options as unknown as BrowserOptions),
      })
      answers.push(await walk.seenOf(sim, golden))
      await sim.close()
    }
    return answers
  }, goldens)
  for (const [index, { name, response }] of goldens.entries()) {
    const { status, headers, body } = seen[index]!
    const promised = Object.fromEntries(Object.keys(response.headers).map((key) => [key, headers[key]]))
    expect({ name, ...comparable({ status, headers: promised, body }) }).toEqual({
      name,
      ...comparable(response),
    })
  }
})

type ComparableResponse = { status: number; headers: Record<string, string | undefined>; body: unknown }

/** Omits the bytes of media: other tests compare them, and images differ slightly between a canvas and sharp. */
function comparable({ status, headers, body }: ComparableResponse): ComparableResponse {
  const type = headers['content-type'] ?? ''
  if (!/^(?:video|image)\//.test(type))
    return { status, headers, body: String(body).replace(/"(b64_json|data)": ?"[^"]{100,}"/g, '"$1":""') }
  return { status, headers: { ...headers, etag: '' }, body: '' }
}

itInChromium('renders the same videos as Node, byte for byte', async () => {
  const request = { model: 'video-1', prompt: 'a paper boat in the rain', duration: 2, size: '320x180' }
  const inPage = await opened().evaluate(async (body) => {
    const bytes = await walk.createVideo(greenroom.createSimulator({ seed: 3 }), body)
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))]
  }, request)
  await using sim = createSimulator({ seed: 3, cacheDir: false })
  const inNode = createHash('sha256').update(await createVideo(sim, request))
  expect(inPage).toEqual([...inNode.digest()])
})

itInChromium.each(Object.keys(walks))('draws %s as in Node, but for a shade', async (name) => {
  const pictures = { sea: dataUrl('sea.jpeg'), rings: dataUrl('rings.png'), mask: dataUrl('mask.png') }
  const inPage = await opened().evaluate(
    async ([each, sent]) => {
      const bytes = await walk.walks[each]!(greenroom.createSimulator({ seed: 3 }), sent)
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    },
    [name, pictures] as const,
  )
  await using sim = createSimulator({ seed: 3, cacheDir: false })
  const files = [Buffer.from(inPage, 'base64'), await walks[name]!(sim, pictures)] as const
  expect(files[0].length).toBeLessThan(1.3 * files[1].length)
  const [one, other] = [await raster({ bytes: files[0] }), await raster({ bytes: files[1] })]
  expect([one.width, one.height]).toEqual([other.width, other.height])
  expect(meanDifference(one.data, other.data)).toBeLessThan(3)
})

itInChromium('animates an uploaded image', async () => {
  const request = {
    model: 'video-1',
    prompt: 'waves',
    duration: 1,
    size: '160x90',
    image: dataUrl('sea.jpeg'),
  }
  await using sim = createSimulator({ cacheDir: false })
  const [one, other] = await opened().evaluate(
    async ([body, fromNode]) => [
      await walk.frameOf(
        (await walk.createVideo(greenroom.createSimulator(), body)) as Uint8Array<ArrayBuffer>,
      ),
      await walk.frameOf(Uint8Array.from(fromNode)),
    ],
    [request, [...(await createVideo(sim, request))]] as const,
  )
  // A small photo is enlarged by each in its own way.
  expect(meanDifference(Uint8Array.from(one!), Uint8Array.from(other!))).toBeLessThan(6)
})

itInChromium('accepts an image as a file of a form', async () => {
  const answer = await opened().evaluate(async (url) => {
    const form = new FormData()
    form.set('prompt', 'waves')
    form.set('model', 'sora-2')
    form.set('input_reference', new File([await (await fetch(url)).blob()], 'sea.jpeg'))
    const headers = { authorization: 'Bearer sk-page' }
    const sent = await fetch('https://gateway.example/v1/videos', { method: 'POST', headers, body: form })
    return { code: sent.status, task: await sent.json() }
  }, dataUrl('sea.jpeg'))
  expect(answer).toMatchObject({ code: 200, task: { status: 'queued' } })
})

const kite = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

itInChromium.each([
  ['what is not a picture', Buffer.from('hello world')],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['a picture of too many pixels', pngHeader(20_000, 20_000)],
  ['a picture that is cut off', kite.subarray(0, 600)],
  ['a picture that is damaged', Buffer.concat([kite.subarray(0, 200), Buffer.alloc(3000, 7)])],
])('refuses %s as Node does', async (_, bytes) => {
  const body = { model: 'video-1', prompt: 'a kite', image: bytes.toString('base64') }
  const inPage = await opened().evaluate(async (sent) => {
    const answer = await walk.ask(greenroom.createSimulator(), '/v1/video/generations', sent)
    return { status: answer.status, text: await answer.text() }
  }, body)
  await using sim = createSimulator({ cacheDir: false })
  const answer = await ask(sim, '/v1/video/generations', body)
  expect(inPage.status).toBe(answer.status)
  expect(sameButForReason(inPage.text)).toBe(sameButForReason(await answer.text()))
})

/** Removes the message of the decoder, which differs between a page and Node. */
function sameButForReason(text: string): string {
  return text.replace(/(can't be decoded: )[^"]*/, '$1')
}

itInChromium('suggests an alternative for features that need Node', async () => {
  const result = await opened().evaluate(async () => {
    const warnings: string[] = []
    const sim = greenroom.createSimulator({ quality: 'full', onWarning: (warning) => warnings.push(warning) })
    await walk.createVideo(sim, { model: 'video-1', prompt: 'a kite', duration: 1, size: '128x96' })
    const noFile = await greenroom.loadScenario('flaky.yaml').catch((error: Error) => error.message)
    let noMsw = ''
    try {
      sim.handlers({ baseUrl: 'https://gateway.example' } as Parameters<typeof sim.handlers>[0])
    } catch (error) {
      noMsw = (error as Error).message
    }
    return { warnings, noFile, noMsw }
  })
  expect(result.warnings).toEqual(['Videos have quality "fast" in a browser: there is no encoder here.'])
  expect(result.noFile).toMatch(
    /^Failed to load flaky\.yaml: a browser reads no files\..*parseScenario\(text\)/,
  )
  expect(result.noMsw).toMatch(/pass its http: sim\.handlers\(\{ baseUrl, http \}\)/)
})
