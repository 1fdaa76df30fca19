import http from 'node:http'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { request as requestUndici } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hostTimers } from '../../src/engine/clock/timers/host-timers.ts'
import { PeerQueue } from '../../src/transports/http/http-segments.ts'
import type { EmbeddedOptions, Fault } from '../../src/index.ts'
import { openExpress, openSocket, type OpenTransport } from '../support/transports.ts'
import { ask, textModel } from '../support/text.ts'
import { authorization, submitVideo } from '../support/video.ts'

const skipped = process.platform === 'linux' ? '' : ` (skipped: ${process.platform} does not show queues)`
const headers = { authorization, 'content-type': 'application/json' }
const body = JSON.stringify({ model: textModel, ...ask('[[say: one twö three]]'), stream: true })

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

/** Every piece of a body, as the client's runtime hands it over. */
type ReadPieces = (url: string) => Promise<Uint8Array[]>

const readers: Readonly<Record<string, ReadPieces>> = {
  async fetch(url) {
    const response = await fetch(url, { method: 'POST', headers, body })
    return collect(response.body!)
  },
  'http.request': (url) =>
    new Promise((resolve, reject) => {
      const pieces: Uint8Array[] = []
      const sent = http.request(url, { method: 'POST', headers }, (response) => {
        response.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => resolve(pieces))
      })
      sent.on('error', reject).end(body)
    }),
  async 'undici.request'(url) {
    const response = await requestUndici(url, { method: 'POST', headers, body })
    return collect(response.body as AsyncIterable<Uint8Array>)
  },
}

function endsInCharacter(piece: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(piece) === ''
  } catch {
    return true
  }
}

const rulesFor = (fault: Fault): EmbeddedOptions => ({
  cacheDir: false,
  rules: [{ match: { op: ['chat.complete', 'video.content'] }, fault }],
})

/** What arrives on a connection, read by read. Until `read` is called, nothing is read. */
function openRaw(
  transport: OpenTransport,
  request: string,
): { socket: Socket; reads: string[]; read: () => void } {
  const socket = connect(Number(new URL(transport.url).port), '127.0.0.1')
    .setEncoding('latin1')
    .pause()
  const reads: string[] = []
  socket.write(request)
  return { socket, reads, read: () => void socket.on('data', (text: string) => reads.push(text)).resume() }
}

const chatRequest =
  `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`

const contentRequest = (id: string): string =>
  `GET /v1/videos/${id}/content HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`

describe.skipIf(skipped)(`over a socket${skipped}`, () => {
  describe.each([
    ['socket', openSocket],
    ['express', openExpress],
  ])('through %s', (_way, open) => {
    it.each(Object.entries(readers))(
      'cuts every stream inside a character for %s',
      async (_name, readPieces) => {
        await using transport = await open(rulesFor({ type: 'split-character' }))
        const runs = Array.from({ length: 16 }, () => readPieces(`${transport.url}/v1/chat/completions`))
        const cut = (await Promise.all(runs)).filter((pieces) => pieces.some(endsInCharacter))
        expect(cut).toHaveLength(16)
        await expect.poll(() => transport.sim.journal({ outcome: 'completed' }).length).toBe(16)
        expect(transport.sim.journal().filter(({ approximated }) => approximated)).toEqual([])
      },
    )
  })

  it('sends each drop by itself', async () => {
    await using transport = await openSocket(rulesFor({ type: 'drip', bytesPerSecond: 1_000 }))
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const { socket, reads, read } = openRaw(transport, contentRequest(id))
    read()
    await once(socket, 'close')
    const { bytes, approximated } = transport.sim.journal().at(-1)!
    expect(approximated).toBe(false)
    // A drop is a tenth of a second's worth.
    expect(reads.length).toBeGreaterThanOrEqual(Math.ceil(bytes / 100))
  })

  it('sends the headers by themselves where the body comes later', async () => {
    await using transport = await openSocket(rulesFor({ type: 'slow-start', for: '5s' }))
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const { socket, reads, read } = openRaw(transport, contentRequest(id))
    read()
    await once(socket, 'close')
    expect(reads[0]!.endsWith('\r\n\r\n')).toBe(true)
    expect(reads.length).toBeGreaterThan(1)
  })

  it('says that it was approximated where a client does not read the first segment', async () => {
    await using transport = await openSocket(rulesFor({ type: 'split-character' }))
    // The two seconds that a client has for it pass at once.
    const { elapsedMs } = hostTimers
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(hostTimers, 'elapsedMs').mockImplementation(() => elapsedMs() * 20)
    const { socket, read } = openRaw(transport, chatRequest)
    await expect.poll(() => transport.sim.journal().at(-1)?.outcome).toBe('completed')
    expect(transport.sim.journal().at(-1)).toMatchObject({ fault: 'split-character', approximated: true })
    read()
    await once(socket, 'close')
  })

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['::', '::1'],
  ])('knows on %s what a client on %s has not read', async (host, address) => {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, address).pause()
    const [socket] = (await once(server, 'connection')) as [Socket]
    const queue = new PeerQueue(socket)
    await new Promise((resolve) => socket.write('one', resolve))
    expect(await queue.isEmpty({ isStrict: true })).toBe(false)
    expect(await queue.isEmpty({ isStrict: true })).toBe(false)
    client.resume()
    await expect.poll(() => queue.isEmpty({ isStrict: true })).toBe(true)
    client.destroy()
    server.close()
  })
})

describe.each([
  ['socket', openSocket],
  ['express', openExpress],
])('through %s', (_way, open) => {
  it.skipIf(skipped)('waits with each chunk until a participant has read the one before', async () => {
    const timing = { firstToken: '1s', tokensPerSecond: 1 } as const
    await using transport = await open({ cacheDir: false, text: { timing } })
    const worker = transport.sim.clock.join('worker')
    const startMs = transport.sim.clock.now()
    const response = await transport.call('/v1/chat/completions', {
      method: 'POST',
      headers: { ...headers, 'x-greenroom-as': 'worker' },
      body: JSON.stringify({ model: textModel, ...ask('[[say: one two three four five]]'), stream: true }),
    })
    const times: number[] = []
    for await (const _chunk of response.body!) times.push(transport.sim.clock.now() - startMs)
    worker.leave()
    expect(times).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
  })
})
