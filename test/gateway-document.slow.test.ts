import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setupServer } from 'msw/node'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as Greenroom from '../src/index.ts'

// The document of the gateway, section by section, as its reader tries it: from the packed package, by a server, by MSW
// handlers, and in a scenario as CI plays it. Time is virtual: nothing waits. The server encodes with ffmpeg-static or the program in
// GREENROOM_TEST_FFMPEG, the handlers with wasm; the scenario's clips need no encoder.

const root = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'greenroom-document-'))
const dist = join(home, 'package/dist')
const key = 'sk-greenroom'
const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const hasFfprobe = spawnSync('ffprobe', ['-version']).status === 0

beforeAll(() => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', home], { cwd: root })
  execFileSync(
    'tar',
    ['-xzf', execFileSync('sh', ['-c', 'ls *.tgz'], { cwd: home, encoding: 'utf8' }).trim()],
    {
      cwd: home,
    },
  )
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
})
afterAll(() => rmSync(home, { recursive: true }))

/** A way in which people use greenroom. */
interface Way {
  readonly url: string
  readonly advance: (by: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** A program that only waits: the test is the client. It ends with its input. */
const waiting = `
  console.log('ready ' + process.env.GREENROOM_URL)
  process.stdin.on('end', () => process.exit(0)).resume()
`

const scenario = `
version: 1
name: The document
rules:
  - { id: steady, match: { op: video.submit }, task: { queued: 10s, render: 50s } }
expect:
  allow: { abandonedTasks: true }
  tasks:
    - { kind: video, nth: 2, status: SUCCESS, elapsed: { min: 1m, max: 1m } }
    - { kind: video, status: FAILURE, reason: no boats, count: 1 }
    - { kind: video, status: FAILURE, count: 2 }
  requests:
    - { op: video.poll, count: { min: 15 } }
    - { op: mj.modal, count: { min: 1 } }
    - { op: text.stream, count: { min: 2 } }
    - { op: chat.complete, count: 3 }
`

async function startProgram(
  words: readonly string[],
  input: 'pipe' | 'ignore',
  env: NodeJS.ProcessEnv = process.env,
): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, [join(dist, 'cli/main.js'), ...words], {
    cwd: home,
    env,
    stdio: [input, 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout!)) {
    const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(line)
    if (url) return [child, url[0]]
  }
  throw new Error('It printed no URL.')
}

const advanceBy =
  (url: string): Way['advance'] =>
  async (by) => {
    const body = JSON.stringify({ by })
    await fetch(`${url}/_greenroom/clock/advance`, { method: 'POST', headers: bearer, body })
  }

const ways: Readonly<Record<string, () => Promise<Way>>> = {
  'a dev server': async () => {
    const ffmpeg = process.env['GREENROOM_TEST_FFMPEG']
    const flags = ['--port', '0', '--log', 'silent', '--clock', 'manual', '--cache-dir', 'false']
    const env = { ...process.env, ...(ffmpeg && { GREENROOM_FFMPEG: ffmpeg }) }
    const [child, url] = await startProgram(['serve', ...flags], 'ignore', env)
    const close = async (): Promise<void> => {
      child.kill()
      await once(child, 'exit')
    }
    return { url, advance: advanceBy(url), close }
  },
  'MSW handlers': async () => {
    const { createSimulator } = (await import(join(dist, 'index.js'))) as typeof Greenroom
    const sim = createSimulator({ clock: 'manual', cacheDir: false, quality: 'full', ffmpeg: 'wasm' })
    const url = 'https://gateway.example'
    const server = setupServer(...sim.handlers({ baseUrl: url }))
    server.listen({ onUnhandledRequest: 'error' })
    const close = async (): Promise<void> => {
      server.close()
      await sim.close()
    }
    return { url, advance: (by) => sim.clock.advance(by as `${number}m`), close }
  },
  'a scenario in CI': async () => {
    writeFileSync(join(home, 'document.yaml'), scenario)
    writeFileSync(join(home, 'waiting.mjs'), waiting)
    const command = ['run', 'document.yaml', '--clock', 'manual', '--', process.execPath, 'waiting.mjs']
    const [child, url] = await startProgram(command, 'pipe')
    const close = async (): Promise<void> => {
      child.stdin!.end()
      const [[code], printed] = await Promise.all([once(child, 'exit'), text(child.stdout!)])
      expect(code, printed).toBe(0)
    }
    return { url, advance: advanceBy(url), close }
  },
}

describe.each(Object.keys(ways))('by %s', (name) => {
  let way: Way
  beforeAll(async () => void (way = await ways[name]!()))
  afterAll(() => way.close())

  const get = (path: string, headers: Record<string, string> = bearer): Promise<Response> =>
    fetch(path.startsWith('http') ? path : way.url + path, { headers })
  const post = (path: string, body: object, headers: Record<string, string> = bearer): Promise<Response> =>
    fetch(way.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const read = async (response: Response | Promise<Response>) => {
    const answered = await response
    expect(answered.status, await answered.clone().text()).toBe(200)
    return (await answered.json()) as Record<string, any>
  }
  const submitVideo = async (prompt: string, more: object = {}): Promise<string> =>
    (await read(post('/v1/video/generations', { model: 'video-1', prompt, ...more })))['task_id']
  const pollVideo = async (id: string) => (await read(get(`/v1/video/generations/${id}`)))['data']
  const drawing = async (id: string) => read(get(`/mj/task/${id}/fetch`))
  const draw = async (path: string, body: object): Promise<string> => {
    const { code, description, result } = await read(post(`/mj/submit/${path}`, body))
    expect([code, typeof description]).toEqual([1, 'string'])
    expect(result).toMatch(/^\d+$/)
    await way.advance('5m')
    return result
  }
  const button = (record: Record<string, any>, label: RegExp): string =>
    record['buttons'].find((each: Record<string, string>) =>
      label.test(`${each['label']} ${each['customId']}`),
    )['customId']

  it('§2.1 and §4.1 accept a video, queued and without progress', async () => {
    const answer = await read(post('/v1/video/generations', { model: 'video-1', prompt: 'a paper boat' }))
    expect(answer).toMatchObject({ object: 'video', model: 'video-1', status: 'queued', progress: 0 })
    expect(answer['task_id']).toMatch(/^task_[A-Za-z0-9]+$/)
    expect(answer['id']).toBe(answer['task_id'])
  })

  it('§2.2, §2.3, §3.1, §4.2 and §4.3 render it in order, and give a real video', async () => {
    const id = await submitVideo('a paper boat', { size: '128x96', seconds: '2' })
    const seen: Record<string, any>[] = []
    for (let polls = 0; polls < 60; polls += 1) {
      const envelope = await read(get(`/v1/video/generations/${id}`))
      expect(envelope['code']).toBe('success')
      seen.push(envelope['data'])
      if (envelope['data'].status === 'SUCCESS') break
      await way.advance('5s')
    }
    const states = [...new Set(seen.map(({ status }) => status))]
    expect(states).toEqual(['queued', 'IN_PROGRESS', 'SUCCESS'])
    for (const { task_id, progress } of seen)
      expect([task_id, progress]).toEqual([id, expect.stringMatching(/^\d+%$/)])
    expect(seen.filter(({ status, result_url }) => (status === 'SUCCESS') !== Boolean(result_url))).toEqual(
      [],
    )
    const percents = seen.map(({ progress }) => Number.parseInt(progress, 10))
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.some((percent) => percent > 0 && percent < 100)).toBe(true)
    const last = seen.at(-1)!
    expect(last['progress']).toBe('100%')
    expect(last['result_url']).toBe(`${way.url}/v1/videos/${id}/content`)

    expect([401, 403]).toContain((await get(last['result_url'], {})).status)
    const content = await get(last['result_url'])
    expect(content.headers.get('content-type')).toBe('video/mp4')
    const bytes = Buffer.from(await content.arrayBuffer())
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')
    if (!hasFfprobe) return
    const file = join(home, 'clip.mp4')
    writeFileSync(file, bytes)
    const fields = 'stream=codec_name,width,height:format=duration'
    const probe = ['-v', 'error', '-show_entries', fields, '-of', 'json', file]
    const found = JSON.parse(execFileSync('ffprobe', probe, { encoding: 'utf8' }))
    expect(found.streams[0]).toMatchObject({ codec_name: 'h264', width: 128, height: 96 })
    expect(Number(found.format.duration)).toBeCloseTo(2, 0)
  })

  it('§3.1 and §7 let a render fail, with a reason or without', async () => {
    const ids = [
      await submitVideo('a paper boat [[fail: no boats]]'),
      await submitVideo('a paper boat [[fail]]'),
    ]
    await way.advance('10m')
    const [withReason, without] = await Promise.all(ids.map((id) => pollVideo(id)))
    expect(withReason).toMatchObject({ status: 'FAILURE', fail_reason: 'no boats' })
    expect([without.status, without.fail_reason || undefined]).toEqual(['FAILURE', undefined])
    for (const { result_url } of [withReason, without]) expect(result_url || undefined).toBe(undefined)
    for (const id of ids) expect((await get(`/v1/videos/${id}/content`)).status).toBeGreaterThanOrEqual(400)
  })

  it('§4.1 takes an image, as base64 or by its URL', async () => {
    const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
      .png()
      .toBuffer()
    const base64 = png.toString('base64')
    const images = [`data:image/png;base64,${base64}`, base64, 'https://images.example/teal.png']
    const ids = await Promise.all(images.map((image) => submitVideo('move it', { image })))
    await way.advance('10m')
    for (const id of ids) expect(await pollVideo(id)).toMatchObject({ status: 'SUCCESS' })
  })

  it('§4.1 refuses a body without model or prompt', async () => {
    for (const body of [{ prompt: 'x' }, { model: 'video-1' }, { model: 1, prompt: 'x' }]) {
      const response = await post('/v1/video/generations', body)
      expect([response.status >= 400 && response.status < 500, typeof (await response.json())]).toEqual([
        true,
        'object',
      ])
    }
  })

  it('§2.4, §2.5, §3.2, §4.4 and §4.5 make a drawing, a real picture', async () => {
    const { result: id } = await read(post('/mj/submit/imagine', { prompt: 'a red fox --ar 2:1' }))
    let record = await drawing(id)
    const hasEnded = (): boolean => ['SUCCESS', 'FAILURE'].includes(record['status'])
    expect(hasEnded()).toBe(false)
    for (let polls = 0; polls < 60 && !hasEnded(); polls += 1) {
      expect([record['id'], record['progress']]).toEqual([id, expect.stringMatching(/^\d*%?$/)])
      await way.advance('5s')
      record = await drawing(id)
    }
    expect(record).toMatchObject({ id, status: 'SUCCESS', progress: '100%' })
    const image = await get(record['imageUrl'], {})
    const { format, width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata()
    expect(format).toBe('png')
    expect(height).toBeGreaterThanOrEqual(512)
    expect(width! / height!).toBeCloseTo(2, 1)

    const failed = await draw('imagine', { prompt: 'a red fox [[fail: no foxes]]' })
    const { status, imageUrl, failReason } = await drawing(failed)
    expect([status, imageUrl || undefined, failReason]).toEqual(['FAILURE', undefined, 'no foxes'])
  })

  it('§4.6 follows a drawing through every other operation', async () => {
    const grid = await draw('imagine', { prompt: 'a red fox' })
    const upscaled = await draw('action', {
      taskId: grid,
      customId: button(await drawing(grid), /upsample::2/),
    })
    expect(await drawing(upscaled)).toMatchObject({ status: 'SUCCESS', action: 'UPSCALE' })
    const varied = await draw('change', { taskId: grid, action: 'VARIATION', index: 1 })
    expect(await drawing(varied)).toMatchObject({ status: 'SUCCESS', action: 'VARIATION' })

    const picture = async (background: string): Promise<string> => {
      const created = sharp({ create: { width: 64, height: 64, channels: 3, background } })
      return `data:image/png;base64,${(await created.png().toBuffer()).toString('base64')}`
    }
    const base64Array = [await picture('teal'), await picture('plum')]
    expect(await drawing(await draw('blend', { base64Array }))).toMatchObject({ status: 'SUCCESS' })
    const described = await drawing(await draw('describe', { base64: base64Array[0] }))
    expect(described).toMatchObject({
      status: 'SUCCESS',
      action: 'DESCRIBE',
      prompt: expect.stringContaining('\n'),
    })

    const customId = button(await drawing(upscaled), /Inpaint/)
    const { code, result } = await read(post('/mj/submit/action', { taskId: upscaled, customId }))
    expect(code).toBe(21)
    await way.advance('10s')
    expect(await drawing(result)).toMatchObject({ status: 'MODAL' })
    const answered = await draw('modal', { taskId: result, prompt: 'a blue fox', maskBase64: base64Array[1] })
    expect(await drawing(answered)).toMatchObject({ status: 'SUCCESS' })
  })

  const contents = [{ parts: [{ text: 'Why do kites fly?' }] }]
  const model = '/v1beta/models/sim-text-1'

  it('§2.6, §2.7, §4.7 and §5 answer a native text, with the key in a header or in the URL', async () => {
    const json = { 'content-type': 'application/json' }
    const byHeader = { 'content-type': 'application/json', 'x-native-api-key': key }
    const answers = [
      await read(untilAnswered(post(`${model}:generateContent`, { contents }, byHeader))),
      await read(untilAnswered(post(`${model}:generateContent?key=${key}`, { contents }, json))),
    ]
    for (const { candidates, usageMetadata } of answers) {
      expect(candidates[0].content.role).toBe('model')
      expect(candidates[0].content.parts[0].text).toContain('kite')
      expect(candidates[0].finishReason).toBe('STOP')
      for (const count of [usageMetadata.promptTokenCount, usageMetadata.candidatesTokenCount])
        expect([Number.isInteger(count), count > 0]).toEqual([true, true])
    }
  })

  it('§4.8 streams it, with the key in a header or in the URL', async () => {
    const json = { 'content-type': 'application/json' }
    const started = [
      post(`${model}:streamGenerateContent?alt=sse`, { contents }, { ...json, 'x-native-api-key': key }),
      post(`${model}:streamGenerateContent?alt=sse&key=${key}`, { contents }, json),
    ]
    for (const each of started) {
      const response = await untilAnswered(each)
      const text = await untilAnswered(response.text())
      const chunks = text.match(/(?<=^data: ).+$/gm)!.map((line) => JSON.parse(line))
      expect(chunks.length).toBeGreaterThan(1)
      const texts = chunks.map(({ candidates }) => candidates[0].content?.parts?.[0]?.text ?? '')
      expect(texts.join('')).toContain('kite')
      expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: {} })
    }
  })

  it('§4.9 answers a chat as OpenAI does', async () => {
    const messages = [{ role: 'user', content: 'Why do kites fly?' }]
    const { object, choices } = await read(
      untilAnswered(post('/v1/chat/completions', { model: 'sim-text-1', messages })),
    )
    expect(object).toBe('chat.completion')
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } })
  })

  it('§5 refuses every operation without its key, or with one that is no sk- key', async () => {
    const id = await submitVideo('a paper boat')
    const json = { 'content-type': 'application/json' }
    for (const headers of [json, { ...json, authorization: 'Bearer pk-1' }]) {
      const refused = await Promise.all([
        post('/v1/video/generations', { model: 'video-1', prompt: 'x' }, headers),
        get(`/v1/video/generations/${id}`, headers),
        get(`/v1/videos/${id}/content`, headers),
        ...['imagine', 'action', 'change', 'blend', 'describe', 'modal'].map((operation) =>
          post(`/mj/submit/${operation}`, { prompt: 'x' }, headers),
        ),
        get('/mj/task/1/fetch', headers),
        post(`${model}:generateContent`, { contents }, headers),
        post(`${model}:streamGenerateContent`, { contents }, headers),
        post('/v1/chat/completions', { model: 'sim-text-1', messages: [] }, headers),
      ])
      for (const { status, url } of refused) expect([401, 403], url).toContain(status)
    }
  })

  /** Moves time until an answer is there: on a manual clock, streams wait for it. */
  async function untilAnswered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    let isThere = false
    const settled = answer.finally(() => (isThere = true))
    while (!isThere) await way.advance('1s')
    return settled
  }
})
