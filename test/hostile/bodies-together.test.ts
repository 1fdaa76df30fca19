import { Agent, request as ask, type ClientRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openWatched } from './open.ts'

const limits = { bodyMegabytes: 1, bodiesMegabytes: 1 }
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const kilobytes = (count: number): string => JSON.stringify({ note: 'x'.repeat(count * 1024) })

const videoBody = JSON.stringify({ model: 'video-1', prompt: 'a kite', note: 'x'.repeat(600 * 1024) })

/** Begins to send a body, and stops in the middle. */
async function beginning(
  url: string,
  body: string,
): Promise<{ request: ClientRequest; status: Promise<number> }> {
  const request = ask(`${url}/v1/video/generations`, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  })
  const status = new Promise<number>((resolve) => {
    request.on('response', (response) => resolve(response.resume().statusCode!))
    request.on('error', () => resolve(0))
  })
  await new Promise<void>((resolve) => request.write(body.slice(0, -1_000), () => resolve()))
  return { request, status }
}

/** Sends part of a body, until the server has received it: then there is no memory for another one. */
async function held(url: string, post: () => Promise<number>): ReturnType<typeof beginning> {
  for (;;) {
    const begun = await beginning(url, videoBody)
    // The other may have arrived first. Then this one is refused and sent again.
    let isOver = false
    void begun.status.then(() => (isOver = true))
    await expect.poll(async () => (await post()) === 503 || isOver).toBe(true)
    if (!isOver) return begun
  }
}

const surfaces = [
  '/v1/video/generations',
  '/v1/videos',
  '/mj/submit/imagine',
  '/v1/chat/completions',
  '/v1beta/models/text-1:generateContent',
  '/_greenroom/rules',
]

it('refuses a body for which there is no memory yet, with its own message', async () => {
  await using server = await openWatched({ limits })
  const post = (path: string, body: string): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', headers, body })
  const other = async (): Promise<number> => (await post('/v1/video/generations', kilobytes(600))).status
  const { request, status } = await held(server.url, other)
  for (const path of surfaces) {
    const response = await post(path, kilobytes(600))
    expect([path, response.status]).toEqual([path, 503])
    expect(await response.text()).toContain('bodies of more than 1 MB are being read already')
  }
  expect((await post('/v1/video/generations', '{"model":"video-1","prompt":"a kite"}')).status).toBe(200)
  request.end(videoBody.slice(-1_000))
  expect(await status).toBe(200)
  expect((await post('/v1/video/generations', videoBody)).status).toBe(200)
  expect(server.mistakes).toEqual([])
})

it('has room again when a client leaves in the middle of its body', async () => {
  await using server = await openWatched({ limits })
  const post = async (): Promise<number> =>
    (await fetch(`${server.url}/v1/video/generations`, { method: 'POST', headers, body: videoBody })).status
  for (let round = 0; round < 3; round++) {
    const { request } = await held(server.url, post)
    request.destroy()
    await expect.poll(post).toBe(200)
  }
})

it('answers the next request on a connection whose last body was refused in its middle', async () => {
  await using server = await openWatched({ limits })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (pieces: readonly string[]): Promise<[status: number, port: number]> =>
    new Promise((resolve, reject) => {
      const request = ask(
        `${server.url}/v1/video/generations`,
        { method: 'POST', headers, agent },
        (response) => {
          const { localPort = 0 } = response.socket
          response.resume().on('end', () => resolve([response.statusCode!, localPort]))
        },
      )
      request.on('error', reject)
      for (const piece of pieces) request.write(piece)
      request.end()
    })
  const [refused, first] = await send(Array.from({ length: 300 }, () => 'x'.repeat(10_000)))
  const [accepted, second] = await send(['{"model":"video-1","prompt":"a kite"}'])
  expect([refused, accepted]).toEqual([400, 200])
  expect(second).toBe(first)
  agent.destroy()
})

it('counts what a body unpacks to', async () => {
  await using server = await openWatched({ limits })
  const body = gzipSync(JSON.stringify({ model: 'video-1', prompt: 'a kite', note: 'x'.repeat(900 * 1024) }))
  const packed = { ...headers, 'content-encoding': 'gzip' }
  const post = async (): Promise<number> =>
    (await fetch(`${server.url}/v1/video/generations`, { method: 'POST', headers: packed, body })).status
  expect(await post()).toBe(200)
  const { request, status } = await held(server.url, post)
  request.end(videoBody.slice(-1_000))
  await status
  expect(await post()).toBe(200)
})
