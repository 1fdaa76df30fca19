import { createSimulator } from '../../dist/index.js'
import { startServer } from '../../dist/server/index.js'
import { contest, table } from '../contest.js'
import { cellOf, quantile, ratiosOf, timesOf } from '../figures.js'
import { ownFolder } from '../folders.js'
import { load } from '../load.js'
import { bytesOf, operations } from '../operations.js'
import { startScript } from '../servers.js'

const defaultRounds = 3
const imageRounds = 9
/** Enough that the last of them is rendered after the last round of polls. */
const busyClips = 64
const busyRounds = 5
const size = { width: 640, height: 360, seconds: 3 }
const spec = (/** @type {'full' | 'fast'} */ quality, /** @type {number} */ seed) => ({
  kind: /** @type {const} */ ('clip'),
  prompt: 'a paper boat in the rain',
  model: 'video-1',
  seed: String(seed),
  taskId: 'task',
  framesPerSecond: quality === 'full' ? 24 : 12,
  quality,
  caption: true,
  ...size,
})

/** Clips relative to their encoder alone, downloads relative to a bare server, and the effect of renders on polls. */
export async function measureMedia(/** @type {string | undefined} */ ffmpeg) {
  return `${await measureDefault(ffmpeg)}

${await measureImages()}

${await measureClips()}

Downloads of a finished clip, relative to bare node:http that sends the same bytes from memory:

${await measureDownloads()}

${await measureBusyPolls()}`
}

/**
 * A part of what is built, which programs load when they need it.
 *
 * @param {string} name of a file among the chunks
 * @returns {Promise<any>}
 */
const chunk = (name) => import(new URL(`../../dist/chunks/${name}.js`, import.meta.url).href)

/** The README's own first video, 5 s of 1280x720, from the submission to its bytes: with each encoder, in each quality. */
async function measureDefault(/** @type {string | undefined} */ ffmpeg) {
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
  /** @param {{ ffmpeg?: string, quality: 'full' | 'fast', mode: 'real' | 'auto' }} options */
  const measure = async ({ mode, ...options }) => {
    const timing = mode === 'real' ? 'instant' : 'quick'
    const server = await startServer({ port: 0, cacheDir: false, clock: mode, timing, ...options })
    const start = performance.now()
    const since = () => performance.now() - start
    const body = JSON.stringify({ model: 'video-1', prompt: 'a paper boat in the rain' })
    const submitted = await fetch(`${server.url}/v1/video/generations`, { method: 'POST', headers, body })
    const { task_id: id } = await submitted.json()
    for (let status = ''; status !== 'SUCCESS';) {
      const polled = await fetch(`${server.url}/v1/video/generations/${id}`, { headers })
      status = (await polled.json()).data.status
    }
    const download = async () => {
      const began = since()
      const response = await fetch(`${server.url}/v1/videos/${id}/content`, { headers })
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader()
      let bytes = (await reader.read()).value?.length ?? 0
      const first = since()
      for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length
      return { first, whole: since(), took: since() - began, bytes }
    }
    const one = await download()
    const again = await download()
    await server.close()
    return { first: one.first / 1_000, whole: one.whole / 1_000, againMs: again.took, bytes: one.bytes }
  }
  /** @type {Record<string, Parameters<typeof measure>[0] | undefined>} */
  const kinds = {
    '`full`, wasm': { ffmpeg: 'wasm', quality: 'full', mode: 'real' },
    '`full`, wasm, `--clock auto`': { ffmpeg: 'wasm', quality: 'full', mode: 'auto' },
    '`full`, native': ffmpeg === undefined ? undefined : { ffmpeg, quality: 'full', mode: 'real' },
    '`fast`': { quality: 'fast', mode: 'real' },
  }
  /** @type {Record<string, Awaited<ReturnType<typeof measure>>[]>} */
  const taken = {}
  for (let round = 0; round < defaultRounds; round++) {
    for (const [name, options] of Object.entries(kinds))
      if (options) (taken[name] ??= []).push(await measure(options))
  }
  const rows = Object.keys(kinds).map((name) => {
    const runs = taken[name]
    if (!runs) return `| ${name} | not measured: \`--ffmpeg\` names no encoder | | | |`
    const cells = [
      cellOf(
        runs.map(({ first }) => first),
        's',
      ),
      cellOf(
        runs.map(({ whole }) => whole),
        's',
      ),
      cellOf(
        runs.map(({ againMs }) => againMs),
        'ms',
      ),
      `${Math.round((runs[0]?.bytes ?? NaN) / 1_000)} kB`,
    ]
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [
    `The README's first video, 5 s of 1280x720, from a fresh server and an empty cache, ${defaultRounds} times each. Seconds since its submission:`,
    '',
    '| | first byte | last byte | downloaded again | size |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** How long an image takes that is in its response, of another prompt each time. */
async function measureImages() {
  const sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
  let number = 0
  const rows = []
  for (const format of ['png', 'jpeg', 'webp']) {
    const generate = async () => {
      const prompt = `a paper boat in the rain, number ${number++}`
      const body = JSON.stringify({ model: 'gpt-image-1', prompt, output_format: format })
      const response = await sim.fetch('/v1/images/generations', { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`an image was refused: ${await response.text()}`)
      return (await response.arrayBuffer()).byteLength
    }
    await generate()
    rows.push(`| \`${format}\` | ${cellOf(await timesOf(imageRounds, generate), 'ms')} |`)
  }
  await sim.close()
  return `An image by the Images API in its default size, by \`sim.fetch\`, ${imageRounds} times each with another prompt:

| format | until the response is there |
|---|---|
${rows.join('\n')}`
}

async function measureClips() {
  const { ChosenEncoder } = await chunk('chosen-encoder')
  const { FrameDrawers } = await chunk('full-clip')
  const cacheDir = ownFolder()
  const { media } = createSimulator({ cacheDir, ffmpeg: 'wasm' }).core
  const limits = { processes: 1, stallTimeoutMs: 30_000 }
  const encoder = new ChosenEncoder({ candidate: { kind: 'wasm' }, limits, onWarning: () => {} })
  const drawers = new FrameDrawers(limits)
  const { framesPerSecond, ...full } = spec('full', 0)
  const frames = (/** @type {number} */ seed) =>
    drawers.frames({ framesPerSecond, ...full, seed: String(seed) }, [])
  const direct = (/** @type {() => unknown} */ source) =>
    encoder.encode({ ...size, framesPerSecond, frames: size.seconds * framesPerSecond, source })
  const drawn = /** @type {Uint8Array[]} */ ([])
  for await (const frame of frames(0)) drawn.push(frame)
  let seed = 1
  const rounds = { drawn: [0], recipe: [0], first: [0], cached: [0], fast: [0] }
  // Both encoders are loaded before anything counts.
  await Promise.all([direct(() => drawn.values()), media.clip(spec('full', seed))])
  for (let round = 0; round < 6; round++) {
    rounds.drawn.push(...(await timesOf(1, () => direct(() => drawn.values()))))
    rounds.recipe.push(...(await timesOf(1, () => direct(() => frames(seed + 1)))))
    rounds.first.push(...(await timesOf(1, () => media.clip(spec('full', ++seed)))))
    rounds.cached.push(...(await timesOf(1, () => media.clip(spec('full', seed)))))
    rounds.fast.push(...(await timesOf(1, () => media.clip(spec('fast', seed)))))
  }
  await Promise.all([encoder.close(), drawers.close(), media.close()])
  const [, ...recipe] = rounds.recipe
  const row = (/** @type {string} */ title, /** @type {number[]} */ [, ...times]) =>
    `| ${title} | ${cellOf(ratiosOf(times, recipe))} | ${cellOf(times, 'ms')} |`
  return [
    `| ${size.seconds} s of ${size.width}x${size.height} | relative to the same recipe | median |`,
    '|---|---|---|',
    row('The same recipe by direct calls: frames drawn, each encoded as soon as it is drawn', rounds.recipe),
    row('The encoder alone, all frames drawn before', rounds.drawn),
    row('`full`, for the first time', rounds.first),
    row('`full`, again', rounds.cached),
    row('`fast`, for the first time', rounds.fast),
  ].join('\n')
}

async function measureDownloads() {
  const greenroom = await startScript('greenroom-server.js')
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
  const call = await operations['polls']?.ready(greenroom.url)
  const id = call?.path.split('/').at(-1)
  await fetch(`${greenroom.url}/_greenroom/clock/advance`, { method: 'POST', headers, body: '{"by":"10m"}' })
  const content = { method: 'GET', path: `/v1/videos/${id}/content` }
  const response = await fetch(greenroom.url + content.path, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const bare = await startScript('bare-file-server.js', { BYTES: String(bytes.length) })
  const results = await contest({ bare, greenroom }, (url) => bytesOf(url, content))
  bare.stop()
  greenroom.stop()
  return `${table(results)}\n\nA clip of ${Math.round(bytes.length / 1_000)} kB.`
}

/** How much longer the slowest polls take while clips are rendered, in each of some rounds. */
async function measureBusyPolls() {
  const server = await startServer({ port: 0, cacheDir: false, timing: 'instant' })
  const { url } = server
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
  const submit = async (/** @type {string} */ prompt) => {
    const body = JSON.stringify({ model: 'video-1', prompt, size: '640x360', duration: 3 })
    const response = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
    return (await response.json()).task_id
  }
  const id = await submit('[[queued forever]] a boat')
  const request = bytesOf(url, { method: 'GET', path: `/v1/video/generations/${id}` })
  // As clients poll: not as fast as they can, but a few of them now and then.
  const polls = async () => {
    const latencies = /** @type {number[]} */ ([])
    for (let poll = 0; poll < 600; poll++) {
      const { latenciesMs } = await load({ url, request, connections: 1, durationMs: 0 })
      latencies.push(...latenciesMs)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return quantile(latencies, 0.99)
  }
  const rounds = async () => {
    const slowest = []
    for (let round = 0; round < busyRounds; round++) slowest.push(await polls())
    return slowest
  }
  await polls()
  const idle = await rounds()
  let waiting = busyClips
  const download = async (/** @type {number} */ number) => {
    const path = `/v1/videos/${await submit(`boat number ${number}`)}/content`
    const response = await fetch(url + path, { headers })
    const { byteLength } = await response.arrayBuffer()
    if (!response.ok || byteLength < 10_000) throw new Error(`no clip, but ${response.status}`)
    waiting--
  }
  const downloads = Promise.all(Array.from({ length: busyClips }, (_, number) => download(number)))
  const busy = await rounds()
  if (waiting === 0) throw new Error('All clips were rendered before the last round of polls ended.')
  await downloads
  await server.close()
  return `| Polls now and then | 99th percentile of latency, relative to an idle server | measured |
|---|---|---|
| nothing else | 1 | ${cellOf(idle, 'ms')} |
| while ${busyClips} clips are rendered | ${cellOf(ratiosOf(busy, idle))} | ${cellOf(busy, 'ms')} |`
}
