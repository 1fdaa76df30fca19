import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { listen } from '../../src/server/server.ts'
import { withStateFolder } from '../../src/server/state/state-folder.ts'
import { openDirect, type OpenTransport } from '../support/transports.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const key = { authorization: 'Bearer sk-test' }
const json = { ...key, 'content-type': 'application/json' }

/** All kinds of faults, and a retention of one day. */
const badDays = (folder: string): EmbeddedOptions => ({
  cacheDir: join(folder, 'cache'),
  ffmpeg: 'wasm',
  clock: { mode: 'manual' },
  quality: 'fast',
  retention: { age: '1d' },
  limits: { journalEntries: 200 },
  throttles: [{ match: { op: 'chat.complete' }, bucket: { capacity: 3, refill: '1/10m' } }],
  rules: [
    { match: { op: 'video.poll' }, every: 7, respond: { status: 503 } },
    { match: { op: 'video.poll' }, every: 11, fault: 'reset' },
    { match: { op: 'video.content' }, every: 3, fault: { type: 'truncate', at: 0.5 } },
    { match: { op: 'text.stream' }, every: 2, fault: { type: 'reset', phase: 'mid-body', at: 0.5 } },
    { match: { op: 'mj.fetch' }, every: 5, delay: '1s' },
    { match: { op: 'models.list' }, delay: 'forever' },
  ],
})

const post = (path: string, body: object, headers: Record<string, string> = json) =>
  [path, { method: 'POST', headers, body: JSON.stringify(body) }] as const

/** Sends a request and reads the response. Faults are part of the day. */
async function send(
  transport: OpenTransport,
  path: string,
  init: RequestInit = { headers: key },
): Promise<string> {
  try {
    return await (await transport.call(path, init)).text()
  } catch {
    return ''
  }
}

const idIn = (text: string, field: string): string =>
  new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1] ?? 'none'

/** Three hours of mixed traffic: videos, drawings, texts, streams, control, and clients that leave. */
async function threeHours(transport: OpenTransport, number: number): Promise<void> {
  const { clock } = transport.sim
  const prompt = `a kite over hill ${number % 24}`
  const small = { model: 'video-1', size: '128x96', duration: 1 }
  const video = idIn(await send(transport, ...post('/v1/video/generations', { ...small, prompt })), 'task_id')
  const drawing = idIn(await send(transport, ...post('/mj/submit/imagine', { prompt })), 'result')
  await clock.advance('5s')
  const leaving = new AbortController()
  const left = send(transport, '/v1/models', { headers: key, signal: leaving.signal })
  const poll = `/v1/video/generations/${video}`
  for (let polls = 0; polls < 3; polls++) await send(transport, poll)
  await clock.advance('10m')
  const fetched = send(transport, `/mj/task/${drawing}/fetch`)
  const contents = [{ parts: [{ text: prompt }] }]
  const native = { ...json, 'x-goog-api-key': 'sk-test' }
  const requests = [
    fetched,
    send(transport, `/v1/videos/${video}/content`),
    send(
      transport,
      ...post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: prompt }] }),
    ),
    send(transport, ...post('/v1beta/models/m:generateContent', { contents }, native)),
    send(transport, ...post('/v1beta/models/m:streamGenerateContent?alt=sse', { contents }, native)),
    send(transport, '/_greenroom/tasks'),
    send(transport, '/v1/unknown'),
  ]
  leaving.abort()
  // Delayed responses arrive as time passes.
  await clock.advance('5m')
  const whole = Promise.all([...requests, left])
  for (let done = false; !done;) {
    const next = new Promise<false>((resolve) => setImmediate(() => resolve(false)))
    done = await Promise.race([whole.then(() => true), next])
    if (!done) await clock.advance('1s')
  }
  // Drawing one image takes longer than all the rest of a day.
  if (number === 12 || number === 204) await send(transport, `/mj/image/${drawing}`)
  const now = clock.now()
  await clock.advance(3 * 3_600_000 - (now % (3 * 3_600_000)))
}

/** Over a socket, with its state stored on disk. */
async function openStored(options: EmbeddedOptions, folder: string): Promise<OpenTransport> {
  const sim = createSimulator(options)
  const settings = { clock: { mode: 'manual', rate: 1 }, onWarning: () => {} } as const
  const core = await withStateFolder(join(folder, 'state'), sim.core, { ...settings, growth: 500_000 })
  const server = await listen(core, { port: 0, host: '127.0.0.1', onWarning: () => {} })
  return {
    sim,
    url: server.url,
    fetch: (input, init) => fetch(input, init),
    call: (path, init) => fetch(server.url + path, init),
    [Symbol.asyncDispose]: server.close,
  }
}

interface Level {
  heapBytes: number
  resources: Record<string, number>
  files: number
  diskBytes: number
}

async function level(folder: string): Promise<Level> {
  // Finalizers release some things a few turns later.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
  }
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  const diskBytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  return { heapBytes: process.memoryUsage().heapUsed, resources, files: files.length, diskBytes }
}

const days = Number(process.env['SOAK_DAYS'] ?? 10)

it.each([
  ['in process', openDirect],
  ['over a socket, with its state on disk', openStored],
] as const)(
  'has after ten days of mixed traffic %s the memory, handles and disk space of day 2',
  { timeout: 300_000 * (days / 10) },
  async (_name, open) => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
    const before = await level(folder)
    const transport = await open(badDays(folder), folder)
    const levels: Level[] = []
    for (let day = 0; day < days; day++) {
      for (let each = 0; each < 24; each += 3) await threeHours(transport, day * 24 + each)
      levels.push(await level(folder))
    }
    const [second, end] = [levels[1]!, levels.at(-1)!]
    expect(transport.sim.clock.status().waiters).toBe(0)
    expect(transport.sim.journal({ outcome: 'open' })).toEqual([])
    expect(transport.sim.core.tasks.count('default')).toBeLessThan(60)
    expect(end.heapBytes - second.heapBytes).toBeLessThan(3_000_000)
    expect(end.files).toBeLessThanOrEqual(second.files + 10)
    expect(end.diskBytes - second.diskBytes).toBeLessThan(3_000_000)
    for (const [name, count] of Object.entries(end.resources))
      expect(count, name).toBeLessThanOrEqual((second.resources[name] ?? 0) + 4)
    await transport[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
    const left = (name: string): number =>
      process.getActiveResourcesInfo().filter((each) => each === name).length
    for (const name of ['TCPServerWrap', 'TCPSocketWrap', 'ProcessWrap', 'FSReqPromise'])
      await expect.poll(() => left(name), { message: name }).toBeLessThanOrEqual(before.resources[name] ?? 0)
  },
)
