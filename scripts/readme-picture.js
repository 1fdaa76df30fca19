// Makes the pictures of the README: the time axis of the dashboard with the future outlined, and a frame of the first video.
//
//   node scripts/readme-picture.js [folder]
//
// writes time-axis-light.png, time-axis-dark.png and first-video.png into docs/images or the folder. It needs a build, Chromium and
// ffmpeg. The clock is `manual` and the seed is fixed, so the pictures are the same each time.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'

const [folder = 'docs/images'] = process.argv.slice(2)
const program = process.env['GREENROOM_CHROMIUM'] ?? '/usr/bin/chromium'

/** The instant of the picture. Clients poll every five seconds. */
const END_SECONDS = 47
const POLL_SECONDS = 5

/**
 * What clients submit, and when.
 *
 * @type {readonly { atSeconds: number, prompt: string, isDrawing?: boolean }[]}
 */
const submissions = [
  { atSeconds: 0, prompt: 'a paper boat in the rain [[queued 4s]] [[render 22s]]' },
  { atSeconds: 5, prompt: 'a lighthouse at dusk [[queued 3s]] [[render 31s]]' },
  { atSeconds: 5, prompt: 'a fox in the snow', isDrawing: true },
  {
    atSeconds: 10,
    prompt: 'two astronauts playing chess [[queued 2s]] [[render 16s]] [[fail: content policy]]',
  },
  { atSeconds: 20, prompt: 'a train through the Alps [[queued 6s]] [[render 38s]]' },
  { atSeconds: 25, prompt: 'a kite over the dunes [[queued 9s]] [[render 21s]]' },
  { atSeconds: 30, prompt: 'a map of a city that is not there', isDrawing: true },
  { atSeconds: 35, prompt: 'a harbour, from above [[queued 8s]] [[render 19s]] [[fail: out of memory]]' },
  { atSeconds: 40, prompt: 'rain on a tin roof [[queued 13s]] [[render 15s]]' },
]

/** @type {import('../src/index.ts').Rule[]} */
const rules = [
  {
    id: 'storm',
    match: { op: 'video.poll', prompt: '*lighthouse*' },
    attempts: ['ok', 'ok', { respond: { status: 503 } }, 'reset', 'ok'],
  },
  { id: 'busy', match: { op: 'video.poll', prompt: '*train*' }, attempts: ['ok', 'ok', 'close', 'ok'] },
]

/** Leaves the clock and the axis, without what one can press. */
const style = `
  .top, .dock, .journal, .bar, .splitter, .foot, .overview, .jump, .mode { display: none !important }
  .app { grid-template-rows: 0 60px 0 1fr 0 !important; --gutter: 230px }
  .stage { grid-template-columns: 1fr !important }
  .left { grid-template-rows: 1fr !important }
  .axis { grid-template-rows: 26px 1fr !important }
  .axis::before { display: none }
  .clock .next { display: flex !important }
`

const { startServer } = await import('greenroom/server')
const server = await startServer({
  port: 0,
  seed: 'readme',
  clock: { mode: 'manual' },
  quality: 'fast',
  cacheDir: false,
  rules,
})
try {
  await play()
  await takePictures()
} finally {
  await server.close()
}
await takeFrame()

/** Takes a frame of the video that the quick start downloads. */
async function takeFrame() {
  const server = await startServer({ port: 0, clock: { mode: 'manual' }, cacheDir: false })
  const scratch = mkdtempSync(join(tmpdir(), 'greenroom-'))
  const headers = { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a paper boat in the rain' })
  try {
    const submitted = await fetch(`${server.url}/v1/video/generations`, { method: 'POST', headers, body })
    const { task_id: id } = await submitted.json()
    await server.simulator.control.clock.advance('default', { by: 600_000 })
    const clip = await fetch(`${server.url}/v1/videos/${id}/content`, { headers })
    const path = join(scratch, 'clip.mp4')
    writeFileSync(path, Buffer.from(await clip.arrayBuffer()))
    const decoder = process.env['GREENROOM_TEST_FFMPEG'] ?? '/usr/bin/ffmpeg'
    const flags = [
      '-v',
      'error',
      '-i',
      path,
      '-ss',
      '2',
      '-frames:v',
      '1',
      '-c:v',
      'png',
      '-f',
      'image2pipe',
      '-',
    ]
    const frame = execFileSync(decoder, flags, { maxBuffer: 2 ** 26 })
    await sharp(frame).resize(640).png({ palette: true, effort: 10 }).toFile(join(folder, 'first-video.png'))
  } finally {
    await server.close()
    rmSync(scratch, { recursive: true })
  }
}

async function play() {
  const { clock } = server.simulator.control
  /** @type {Set<string>} */
  const open = new Set()
  for (let second = 0; second < END_SECONDS; second += POLL_SECONDS) {
    for (const target of open) await poll(target, open)
    for (const { atSeconds, prompt, isDrawing } of submissions) {
      if (atSeconds === second) open.add(await (isDrawing ? submitDrawing(prompt) : submitVideo(prompt)))
    }
    await clock.advance('default', { by: Math.min(POLL_SECONDS, END_SECONDS - second) * 1_000 })
  }
}

/** @param {string} path @param {object} [body] */
function call(path, body) {
  const headers = { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' }
  return fetch(server.url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
}

/** @param {string} prompt */
async function submitVideo(prompt) {
  const response = await call('/v1/video/generations', {
    model: 'video-1',
    prompt,
    size: '128x96',
    duration: 1,
  })
  return `/v1/video/generations/${(await response.json()).task_id}`
}

/** @param {string} prompt */
async function submitDrawing(prompt) {
  const response = await call('/mj/submit/imagine', { prompt })
  return `/mj/task/${(await response.json()).result}/fetch`
}

/**
 * Polls a task, and downloads its video when it has ended.
 *
 * @param {string} target @param {Set<string>} open
 */
async function poll(target, open) {
  const response = await call(target).catch(() => undefined)
  if (!response?.ok) return
  const { data, status = data.status } = await response.json()
  if (status !== 'SUCCESS' && status !== 'FAILURE') return
  open.delete(target)
  const [, video] = /generations\/(.*)/.exec(target) ?? []
  if (status === 'SUCCESS' && video) await (await call(`/v1/videos/${video}/content`)).arrayBuffer()
}

async function takePictures() {
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  try {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const page = await browser.newPage({
        viewport: { width: 1000, height: 332 },
        deviceScaleFactor: 2,
        colorScheme: theme,
        reducedMotion: 'reduce',
        // The style of the picture is not the page's own.
        bypassCSP: true,
      })
      await page.goto(`${server.url}/_greenroom/`)
      await page.addStyleTag({ content: style })
      await page.locator('.name').getByText('rain on a tin roof').waitFor()
      await page.evaluate('document.fonts.ready')
      await page.waitForTimeout(1_000)
      const picture = await page.screenshot()
      await sharp(picture)
        .png({ palette: true, colours: 128, effort: 10 })
        .toFile(join(folder, `time-axis-${theme}.png`))
    }
  } finally {
    await browser.close()
  }
}
