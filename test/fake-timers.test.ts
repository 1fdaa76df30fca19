import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import sharp from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../src/index.ts'
import './support/removed-apis.ts'
import { fakers, type Faked, type Faker } from './support/fakers.ts'
import { VideoClient } from './support/video-client.ts'

const url = 'https://gateway.example'
const { setImmediate: nextTurn } = globalThis
const elapsedMs = performance.now.bind(performance)
const sleepByTimer = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const msw3 = process.env['GREENROOM_MSW3']

/** The fetch of clients, through which they reach a simulator, and what ends it. */
type Reach = (sim: EmbeddedSimulator) => Promise<{ fetch: typeof fetch; close: () => void }>
const ways: Readonly<Record<string, Reach>> = {
  'sim.fetch': async (sim) => ({ fetch: sim.fetch, close: () => {} }),
  'msw 2': async (sim) => listening(sim, setupServer, http),
  ...(msw3 === undefined ? {} : { 'msw 3': async (sim) => listening(sim, ...(await loadMsw3(msw3))) }),
}

function listening(
  sim: EmbeddedSimulator,
  setup: typeof setupServer,
  maker: typeof http,
): Awaited<ReturnType<Reach>> {
  const server = setup(...sim.handlers({ baseUrl: url, http: maker }))
  server.listen({ onUnhandledRequest: 'bypass', onUnhandledFrame: 'bypass' } as never)
  return { fetch: (input, init) => globalThis.fetch(input, init), close: () => server.close() }
}

async function loadMsw3(folder: string): Promise<[typeof setupServer, typeof http]> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href)
  const { http: maker } = (await load('msw')) as typeof import('msw')
  const { setupServer: setup } = (await load('msw/node')) as typeof import('msw/node')
  return [setup, maker]
}

const named = fakers.map((faker) => [faker.name, faker] as const)

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A client with a simulator, and then the fakes. */
async function open(
  reach: Reach,
  faker: Faker,
  options: EmbeddedOptions,
): Promise<{
  sim: EmbeddedSimulator
  client: (sleepMs?: number) => VideoClient
  faked: Faked
  fetchInTest: typeof fetch
}> {
  const sim = createSimulator({ cacheDir: false, ...options })
  ends.push(sim.close)
  const { fetch: fetchInTest, close } = await reach(sim)
  ends.push(close)
  const faked = faker.fake()
  ends.push(faked.restore)
  const client = (sleepMs = 5_000): VideoClient =>
    new VideoClient({ baseUrl: url, key: 'sk-test', fetch: fetchInTest, sleep: () => sleepByTimer(sleepMs) })
  return { sim, client, faked, fetchInTest }
}

/** Turns fake timers until something has come, for twenty real seconds at most. */
async function turnUntil<T>(work: Promise<T>, { turn }: Faked): Promise<T> {
  let isOver = false
  const over = work.finally(() => (isOver = true))
  over.catch(() => {})
  for (const began = elapsedMs(); !isOver && elapsedMs() - began < 20_000;) {
    await turn(500)
    for (let turns = 0; turns < 5; turns++) await new Promise<void>((resolve) => nextTurn(() => resolve()))
  }
  if (!isOver) throw new Error('It hangs.')
  return over
}

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const chat = (fetchInTest: typeof fetch): Promise<Response> =>
  fetchInTest(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'sim-text-1',
      stream: true,
      messages: [{ role: 'user', content: '[[echo]] one two three four' }],
    }),
  })

const host = { clock: { mode: 'host' } } as const
const delayed = { rules: [{ match: { op: 'models.list' }, delay: '5s' }] } as const
const paced = { text: { timing: { firstToken: '1s', tokensPerSecond: 2 } } } as const

describe.each(Object.entries(ways))('through %s', (_way, reach) => {
  describe.each(named)('with %s, in mode host', (_name, faker) => {
    it('lets a client poll, whose sleeps are faked', async () => {
      const { client, faked } = await open(reach, faker, host)
      // Where Date and timers drift apart, tasks go by the Date, which is the real one.
      const isReal = faker.kind === 'refused'
      const prompt = isReal ? '[[queued 1ms]] [[render 20ms]] a kite' : '[[queued 10s]] [[render 20s]] a kite'
      const video = client(faker.kind === 'date' ? 5 : 5_000).make(prompt)
      expect((await turnUntil(video, faked)).bytes).toBeGreaterThan(100)
    })

    it('answers when the wait of an answer is over', async () => {
      const { fetchInTest, faked } = await open(reach, faker, { ...host, ...delayed })
      const began = Date.now()
      const answered = turnUntil(
        fetchInTest(`${url}/v1/models`, { headers }).then(async (response) => [
          response.status,
          await response.text(),
        ]),
        faked,
      )
      if (faker.kind === 'refused') return expect(await messageOf(answered)).toContain('its Date is not')
      expect((await answered)[0]).toBe(200)
      expect(Date.now() - began).toBeGreaterThanOrEqual(5_000)
    })

    it('hands over a stream in its time', async () => {
      const { fetchInTest, faked } = await open(reach, faker, { ...host, ...paced })
      const began = Date.now()
      const answered = turnUntil(
        chat(fetchInTest).then((response) => response.text()),
        faked,
      )
      if (faker.kind === 'refused') return expect(await messageOf(answered)).not.toContain('[DONE]')
      expect(await answered).toContain('[DONE]')
      expect(Date.now() - began).toBeGreaterThanOrEqual(2_000)
    })
  })

  it('lets fakes that move by themselves wait for real work, so that no deadline of the client comes before it', async () => {
    const square = sharp({ create: { width: 900, height: 900, channels: 3, background: 'teal' } })
    const sent = (await square.png().toBuffer()).toString('base64')
    const itself = fakers.find(({ kind }) => kind === 'itself')!
    const { fetchInTest } = await open(reach, itself, host)
    const began = Date.now()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error('out of time')), 60_000)
    const call = async (path: string, body?: object): Promise<Response> => {
      const submit = { method: 'POST', headers, body: JSON.stringify(body) }
      return fetchInTest(url + path, { signal: deadline.signal, ...(body && submit) })
    }
    expect((await call('/mj/submit/describe', { base64: `data:image/png;base64,${sent}` })).status).toBe(200)
    const { result: id } = await (await call('/mj/submit/imagine', { prompt: '[[render 1s]] a kite' })).json()
    await sleepByTimer(30_000)
    const drawing = await call(`/mj/image/${id}`)
    expect((await drawing.arrayBuffer()).byteLength).toBeGreaterThan(10_000)
    clearTimeout(timer)
    expect(Date.now() - began).toBe(30_000)
  })

  it.each(named)('needs no test that advances %s, in mode auto', async (_name, faker) => {
    const { sim, client, fetchInTest } = await open(reach, faker, { ...delayed, ...paced })
    expect((await fetchInTest(`${url}/v1/models`, { headers })).status).toBe(200)
    expect(await (await chat(fetchInTest)).text()).toContain('[DONE]')
    const id = await client().submit('a kite')
    await sim.clock.advanceUntil(id, 'SUCCESS')
    expect((await client().download(id)).length).toBeGreaterThan(100)
  })
})

/** What a failure says: as the rejection of `sim.fetch`, or as the answer that MSW makes of it. */
async function messageOf(answered: Promise<unknown>): Promise<string> {
  try {
    return String(await answered)
  } catch (error) {
    return String(error)
  }
}
