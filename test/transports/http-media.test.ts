import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpListener } from '../../src/transports/http/http.ts'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { openSocket, type OpenTransport } from '../support/transports.ts'

const key = { authorization: 'Bearer sk-test' }
const manual: EmbeddedOptions = { cacheDir: false, clock: { mode: 'manual', start: '2030-01-01' } }

/** Renders a video. @returns the path of its content. */
async function makeVideo({ sim, call }: Pick<OpenTransport, 'sim' | 'call'>): Promise<string> {
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 })
  const headers = { ...key, 'content-type': 'application/json' }
  const answer = await call('/v1/video/generations', { method: 'POST', headers, body })
  const { task_id: id } = (await answer.json()) as { task_id: string }
  await sim.clock.advance('10m')
  return `/v1/videos/${id}/content`
}

it('journals that a client left before a cached video was sent', async () => {
  await using sim = createSimulator(manual)
  const path = await makeVideo({ sim, call: sim.fetch })
  await (await sim.fetch(path, { headers: key })).arrayBuffer()
  const options = { origin: () => 'http://gateway.test', scheme: 'http', onBug: () => {} } as const
  // Nothing leaves for the client.
  const stuck = { _write: () => {}, _writev: () => {} }
  const server = createServer(createHttpListener(sim.core, options)).on('connection', (socket) => {
    Object.assign(socket, stuck)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway.test\r\nAuthorization: ${key.authorization}\r\n\r\n`)
  const entries = () => sim.journal({ operation: 'video.content', last: 1 })
  await expect.poll(entries).toMatchObject([{ outcome: 'open' }])

  socket.resetAndDestroy()

  await expect.poll(entries).toMatchObject([{ outcome: 'aborted', content: 'partial' }])
  server.close()
})

it('answers 502 when a media source of the user throws', async () => {
  const { media } = createSimulator(manual).core
  const clip = () => {
    throw new Error('out of ink')
  }
  await using transport = await openSocket({ ...manual, media: { ...media, clip } })

  const answer = await transport.call(await makeVideo(transport), { headers: key })

  expect([answer.status, answer.headers.get('x-greenroom-hint')]).toEqual([502, 'out of ink'])
})
