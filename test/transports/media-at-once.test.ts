import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHttpListener } from '../../src/transports/http/http.ts'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { openSocket, type OpenDoor } from '../support/doors.ts'

const key = { authorization: 'Bearer sk-test' }
const manual: EmbeddedOptions = { cacheDir: false, clock: { mode: 'manual', start: '2030-01-01' } }

/** A source whose films always come a moment later, as they do where they aren't kept. */
function promised(): EmbeddedOptions {
  const { media } = createSimulator(manual).core
  return { media: { ...media, clip: async (spec) => media.clip(spec) } }
}

/** A film that is finished, and how to ask for it. */
async function withFilm({ sim, call }: Pick<OpenDoor, 'sim' | 'call'>): Promise<string> {
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 })
  const headers = { ...key, 'content-type': 'application/json' }
  const answer = await call('/v1/video/generations', { method: 'POST', headers, body })
  const { task_id: id } = (await answer.json()) as { task_id: string }
  await sim.clock.advance('10m')
  return `/v1/videos/${id}/content`
}

it('shows of a film that is kept what it shows of one that isn’t', async () => {
  await using kept = await openSocket(manual)
  await using later = await openSocket({ ...manual, ...promised() })
  const [path, samePath] = [await withFilm(kept), await withFilm(later)]
  expect(samePath).toBe(path)
  const first = await kept.call(path, { headers: key })
  const [etag, size] = [first.headers.get('etag')!, (await first.arrayBuffer()).byteLength]
  const shown = async (door: OpenDoor, method: string, headers: Record<string, string>) => {
    const answer = await door.call(path, { method, headers: { ...key, ...headers } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    await expect.poll(() => door.sim.journal({ last: 1 })[0]?.outcome).toBe('completed')
    const { outcome, bytes: sent, content, status, firstByteAt } = door.sim.journal({ last: 1 })[0]!
    const said = [...answer.headers].filter(([name]) => !name.startsWith('x-'))
    return { status: [answer.status, status], said, bytes, outcome, sent, content, firstByteAt }
  }
  const at = fc.integer({ min: -2, max: size + 2 }).map((n) => (n < 0 ? '' : String(n)))
  const range = fc.tuple(at, at).map(([from, to]) => `bytes=${from}-${to}`)
  const headers = fc.record(
    {
      range: fc.oneof(range, fc.constant('bytes=0-0,2-3')),
      'if-none-match': fc.constantFrom(etag, `W/${etag}`, '*', '"other"'),
      'if-range': fc.constantFrom(etag, '"other"'),
    },
    { requiredKeys: [] },
  )
  const asks = fc.asyncProperty(fc.constantFrom('GET', 'HEAD'), headers, async (method, asked) => {
    expect(await shown(kept, method, asked)).toEqual(await shown(later, method, asked))
  })
  await fc.assert(asks, { numRuns: 60, seed: 1 })
})

it('notes of a kept film that its client left before the end', async () => {
  await using sim = createSimulator(manual)
  const path = await withFilm({ sim, call: sim.fetch })
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
  const noted = () => sim.journal({ operation: 'video.content', last: 1 })
  await expect.poll(noted).toMatchObject([{ outcome: 'open' }])

  socket.resetAndDestroy()

  await expect.poll(noted).toMatchObject([{ outcome: 'aborted', content: 'partial' }])
  server.close()
})

it('answers as ever where a source of one’s own fails at once', async () => {
  const { media } = createSimulator(manual).core
  const clip = () => {
    throw new Error('out of film')
  }
  await using door = await openSocket({ ...manual, media: { ...media, clip } })

  const answer = await door.call(await withFilm(door), { headers: key })

  expect([answer.status, answer.headers.get('x-greenroom-hint')]).toEqual([502, 'out of film'])
})
