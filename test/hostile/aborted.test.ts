import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { bytesOf, knownRequests } from './corpus.ts'
import { openWatched, type WatchedServer } from './open.ts'

/** One request of each operation, with the steps that a client can leave between. */
const requests = [...new Map(knownRequests.map((each) => [`${each.method} ${each.path}`, each])).values()]

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket)).on('error', () => {})
  })
}

/** No request is open, and every exchange has settled. */
async function expectQuiet({ sim, url, mistakes }: WatchedServer): Promise<void> {
  await expect.poll(() => sim.journal({ outcome: 'open' }), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => sim.clock.status().waiters).toBe(0)
  expect(mistakes).toEqual([])
  expect((await fetch(`${url}/_greenroom/health`)).status).toBe(200)
}

it('lets go of clients that leave before, within and behind their request, whatever they ask', async () => {
  await using server = await openWatched({ clock: { mode: 'manual' }, limits: { journalEntries: 100_000 } })
  for (const request of requests) {
    const bytes = bytesOf(request)
    const end = bytes.indexOf('\r\n\r\n')
    const cuts = [
      0,
      10,
      end,
      end + 4,
      Math.floor((end + 4 + bytes.length) / 2),
      bytes.length - 1,
      bytes.length,
    ]
    await Promise.all(
      cuts.map(async (cut, index) => {
        const socket = await dial(server.url)
        if (cut > 0) await new Promise((resolve) => socket.write(bytes.subarray(0, cut), resolve))
        await turns(index)
        if (index % 2) socket.destroy()
        else socket.resetAndDestroy()
      }),
    )
  }
  await expectQuiet(server)
})

/** Responses that take virtual time, which does not pass: clients can only abort. */
const waiting = [{ match: { op: '*' as const }, delay: '1h' }]

it('says aborted of every operation whose client leaves while it waits for the answer', async () => {
  await using server = await openWatched({ clock: { mode: 'manual' }, rules: waiting })
  const authorized = requests.filter(({ headers }) => /sk-/.test(JSON.stringify(headers)))
  const sockets = await Promise.all(authorized.map(() => dial(server.url)))
  for (const [index, request] of authorized.entries()) sockets[index]!.write(bytesOf(request))
  await expect.poll(() => server.sim.journal().length).toBe(authorized.length)
  const held = server.sim.clock.status().waiters
  expect(held).toBeGreaterThan(authorized.length / 3)
  for (const socket of sockets) socket.destroy()
  await expectQuiet(server)
  expect(server.sim.journal({ outcome: 'aborted' })).toHaveLength(held)
})

it('reports a stream and a video as aborted when their clients leave', async () => {
  await using server = await openWatched({
    clock: { mode: 'manual' },
    text: { timing: { tokensPerSecond: 10 } },
    rules: [{ match: { op: 'video.content' }, fault: { type: 'drip', bytesPerSecond: 1_000 } }],
  })
  const json = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const post = (path: string, body: object, signal: AbortSignal | null = null): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', headers: json, body: JSON.stringify(body), signal })
  const submit = await post('/v1/video/generations', { model: 'video-1', prompt: 'a kite' })
  const { task_id: id } = (await submit.json()) as { task_id: string }
  await server.sim.clock.advance('10m')

  const leaving = new AbortController()
  const messages = [{ role: 'user', content: 'Why do kites fly?' }]
  const stream = await post('/v1/chat/completions', { model: 'm', stream: true, messages }, leaving.signal)
  const video = await fetch(`${server.url}/v1/videos/${id}/content`, {
    headers: json,
    signal: leaving.signal,
  })
  const readers = [stream.body!.getReader(), video.body!.getReader()]
  await server.sim.clock.advance('300ms')
  for (const reader of readers) expect((await reader.read()).value!.length).toBeGreaterThan(0)
  leaving.abort()
  for (const reader of readers) await reader.read().catch(() => {})
  await expectQuiet(server)
  expect(server.sim.journal().map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ['video.submit', 'completed'],
    ['chat.complete', 'aborted'],
    ['video.content', 'aborted'],
  ])
})
