import { createServer } from 'node:net'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { MediaSource } from '../../src/index.ts'
import { startServer } from '../../src/server/index.ts'
import { openSocket } from '../support/transports.ts'
import { authorization, getContent, postVideo, submitVideo } from '../support/video.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Sends bytes as they are, and returns all that comes back. */
async function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  socket.setTimeout(5_000, () => socket.destroy())
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

it('answers a Host header with two hosts, and two Host headers, with 400', async () => {
  await using transport = await openSocket()
  const request = (hosts: string): string =>
    `GET /v1/video/generations/x HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`
  for (const hosts of ['Host: a, b\r\n', 'Host: a\r\nHost: b\r\n', 'Host: a b\r\n']) {
    const answer = await raw(transport.url, request(hosts))
    expect(answer).toContain('HTTP/1.1 400 Bad Request')
    expect(answer).toContain('the Host header must name one host')
  }
})

it('guards the control plane against a name that was rebound to this machine', async () => {
  await using transport = await openSocket()
  const call = (host: string): Promise<string> =>
    raw(transport.url, `GET /_greenroom/clock HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const refused = await call('evil.example:4646')
  expect(refused).toContain('403 Forbidden')
  expect(refused).toContain(String.raw`does not answer requests to the host \"evil.example:4646\"`)
  expect(refused).toContain(String.raw`set publicUrl to \"http://evil.example:4646\"`)
  for (const host of ['localhost:4646', '127.0.0.1:1', '[::1]:4646', 'app.localhost']) {
    expect(await call(host)).toContain('200 OK')
  }
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

it.skipIf(!hasIpv6).each(['::1', '[::1]'])(
  'listens on %s, and tells the address in brackets',
  async (host) => {
    const server = await startServer({ port: 0, host, cacheDir: false })
    try {
      expect(server.url).toBe(`http://[::1]:${server.port}`)
      expect((await fetch(`${server.url}/_greenroom/clock`)).status).toBe(200)
    } finally {
      await server.close()
    }
  },
)

it('dates each answer by the clock of its namespace', async () => {
  await using transport = await openSocket({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
  await transport.sim.namespace('alice').clock.advance('1h')
  const dateOf = async (path: string): Promise<string | null> =>
    (await transport.call(path)).headers.get('date')
  expect([
    await dateOf('/_greenroom/clock?namespace=alice'),
    await dateOf('/ns/alice/v1/video/generations/x'),
    await dateOf('/_greenroom/clock'),
  ]).toEqual([
    'Tue, 01 Jan 2030 01:00:00 GMT',
    'Tue, 01 Jan 2030 01:00:00 GMT',
    'Tue, 01 Jan 2030 00:00:00 GMT',
  ])
})

it('builds links from the host that the client used', async () => {
  await using transport = await openSocket({ clock: { mode: 'manual' } })
  const id = await submitVideo(transport)
  await transport.sim.clock.advance('1m')
  const answer = await raw(
    transport.url,
    `GET /v1/video/generations/${id} HTTP/1.1\r\nHost: gateway.test:8080\r\nAuthorization: Bearer sk-x\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toContain(`"result_url":"http://gateway.test:8080/v1/videos/${id}/content"`)
})

it('answers what is not HTTP, and goes on', async () => {
  await using transport = await openSocket()
  expect(await raw(transport.url, 'GARBAGE\r\n\r\n')).toContain('HTTP/1.1 400 Bad Request')
  expect(
    await raw(transport.url, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
  ).toContain('431')
  expect((await postVideo(transport, { prompt: 'a kite' })).status).toBe(200)
})

it('refuses a body of 200 MB without reading it, and one that only turns out to be too large', async () => {
  await using transport = await openSocket()
  const head = `POST /v1/video/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-x\r\nContent-Type: application/json\r\nConnection: close\r\n`
  const announced = await raw(transport.url, `${head}Content-Length: 209715200\r\n\r\n${'x'.repeat(1000)}`)
  expect(announced).toContain('request body exceeds 32 MB: request body too large')

  await using small = await openSocket({ limits: { bodyMegabytes: 1 } })
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(256 * 1024))
      if (++pulled === 12) controller.close()
    },
  })
  let pulled = 0
  const response = await small.call('/v1/video/generations', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit)
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('exceeds 1 MB')])
  expect((await postVideo(small, { prompt: 'a kite' })).status).toBe(200)
})

it('refuses a bad key before it reads the body', async () => {
  await using transport = await openSocket({ keys: ['sk-right'] })
  const answer = await raw(
    transport.url,
    'POST /v1/video/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-wrong\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n',
  )
  expect(answer).toContain('401 Unauthorized')
})

it('notes a client that leaves in the middle of a download, and goes on', async () => {
  await using transport = await openSocket({
    clock: { mode: 'real' },
    rules: [{ match: { op: 'video.content' }, delay: '1h', times: 1 }],
  })
  const id = await submitVideo(transport)
  await transport.sim.clock.advance('1m')
  const leaving = new AbortController()
  const download = getContent(transport, id, { signal: leaving.signal })
  while (transport.sim.clock.status().waiters === 0) await nextTurn()
  leaving.abort()
  await expect(download).rejects.toThrow()
  while (transport.sim.clock.status().waiters > 0) await nextTurn()
  expect(transport.sim.journal({ operation: 'video.content' })).toMatchObject([
    { outcome: 'aborted', bytes: 0 },
  ])
  expect((await getContent(transport, id)).status).toBe(200)
})

it('notes a client that disconnects while its video is rendered', async () => {
  let finish = (): void => {}
  const media: MediaSource = {
    receiveImage: () => Promise.reject(new Error('no picture is sent here')),
    receiveMask: () => Promise.reject(new Error('no')),
    received: () => Promise.resolve(undefined),
    picture: () => Promise.reject(new Error('no')),
    clip: () =>
      new Promise((resolve) => {
        finish = () => resolve({ bytes: new Uint8Array(10), type: 'video/mp4', etag: '"x"' })
      }),
    prefetch: () => Promise.resolve('skipped'),
    encoder: () => ({ candidate: 'none', verified: false }),
    close: () => Promise.resolve(),
  }
  await using transport = await openSocket({ media, clock: { mode: 'manual' } })
  const id = await submitVideo(transport)
  await transport.sim.clock.advance('1m')
  const leaving = new AbortController()
  const download = getContent(transport, id, { signal: leaving.signal })
  while (transport.sim.journal({ operation: 'video.content' }).length === 0) await nextTurn()
  leaving.abort()
  await expect(download).rejects.toThrow()
  while (transport.sim.journal({ outcome: 'aborted' }).length === 0) await nextTurn()
  finish()
  await nextTurn()
  expect(transport.sim.journal({ operation: 'video.content' })).toMatchObject([
    { outcome: 'aborted', bytes: 0 },
  ])
})

it('takes emoji, Chinese, right-to-left text and every sign that a filter graph would mind', async () => {
  await using transport = await openSocket()
  for (const prompt of ['🦊🪁 fox', '雨中的纸船', 'قارب ورقي في المطر', `':;[]\\%{}$(reboot)\`"<&>`]) {
    const id = await submitVideo(transport, { prompt })
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const content = await getContent(transport, id)
    expect([prompt, content.status]).toEqual([prompt, 200])
    expect(transport.sim.task(id).request['prompt']).toBe(prompt)
  }
})

it('says that the port is in use, and which to take instead', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await expect(startServer({ port, cacheDir: false })).rejects.toThrow(
    `Failed to listen on 127.0.0.1:${port}: the port is in use. Stop the program that listens there, or use another: --port ${port + 1}`,
  )
  taken.close()
})

it('starts as a dev server does: real time, full clips, the wall clock', async () => {
  const server = await startServer({ port: 0, cacheDir: false })
  const health = (await (await fetch(`${server.url}/_greenroom/health`)).json()) as { ready: boolean }
  expect(health.ready).toBe(true)
  const clock = (await (await fetch(`${server.url}/_greenroom/clock`)).json()) as {
    mode: string
    now: number
  }
  expect(clock.mode).toBe('real')
  expect(Math.abs(clock.now - Date.now())).toBeLessThan(60_000)
  await server.close()
  await expect(fetch(`${server.url}/_greenroom/health`)).rejects.toThrow()
})
