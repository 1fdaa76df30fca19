import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHttpListener } from '../../src/transports/http/http.ts'
import { createSimulator, type EmbeddedSimulator, type Rule } from '../../src/index.ts'

const keepAliveTimeout = 65_000
const key = 'Authorization: Bearer sk-test\r\n'

/** A door on a server of its own that writes answers at once, or as node:http does. */
async function openDoor({ atOnce, rules = [] }: { atOnce: boolean; rules?: Rule[] }) {
  const sim = createSimulator({ cacheDir: false, rules, clock: { mode: 'manual', start: '2030-01-01' } })
  const options = { origin: () => 'http://gateway.test', scheme: 'http', onBug: () => {} } as const
  const door = createHttpListener(sim.core, { ...options, ...(atOnce && { keepAliveMs: keepAliveTimeout }) })
  const server = createServer({ keepAliveTimeout, requireHostHeader: false }, door).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    sim,
    port,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await sim.close()
    },
  }
}

/** Sends requests down one connection, all at once; the last asks for its end. */
async function pipelined(
  { port }: { port: number },
  requests: readonly string[],
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let answers = ''
  socket.on('data', (text: string) => (answers += text))
  socket.write(requests.join('') + get('/last', 'Connection: close\r\n'))
  await Promise.all([once(socket, 'close'), meanwhile()])
  // Who has a body to be read may be admitted behind who came later.
  return answers.replace(/(Exchange: default)\/\d+/g, '$1')
}

function get(path: string, headers = '', method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: gateway.test\r\n${key}${headers}\r\n`
}

function post(path: string, body: unknown, headers = ''): string {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  return `${get(path, `${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n`, 'POST')}${text}`
}

const odd: Rule[] = [
  { match: { op: 'video.poll' }, on: 1, respond: { status: 204, body: 'nothing' } },
  { match: { op: 'video.poll' }, on: 2, respond: { status: 299, body: 'ünï', headers: { 'X-A': 'é' } } },
  { match: { op: 'video.poll' }, on: 3, respond: { body: '✓ done', headers: { 'x.b': 'c' } } },
  { match: { op: 'video.poll' }, on: 4, respond: { status: 304, body: { a: 1 } } },
  { match: { op: 'video.poll' }, on: 5, respond: { status: 200, body: '' } },
]

it('writes at once the very bytes that node:http would', async () => {
  await using fast = await openDoor({ atOnce: true, rules: odd })
  await using usual = await openDoor({ atOnce: false, rules: odd })
  const task = async (sim: EmbeddedSimulator): Promise<string> => {
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
    const answer = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
    return ((await answer.json()) as { id: string }).id
  }
  const id = await task(fast.sim)
  expect(await task(usual.sim)).toBe(id)
  const poll = `/v1/video/generations/${id}`
  const kinds = [
    get(poll),
    get(poll, 'Connection: keep-alive\r\n'),
    get(poll, 'Connection: Keep-Alive\r\n'),
    get(poll, 'Origin: http://app.test\r\n'),
    get(poll, '', 'HEAD'),
    get(poll, '', 'OPTIONS'),
    get('/v1/models'),
    get('/nowhere/ü', '', 'PUT'),
    get('/_greenroom/health', '', 'HEAD'),
    post('/v1/video/generations', { model: 'video-1', prompt: 'ein Drache über dem Fluß ✓' }),
    post('/v1/video/generations', { model: 'video-1' }),
    post(poll, { nobody: 'reads this' }),
    post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi [[say: ✓ ü]]' }],
      stream: true,
    }),
    post('/v1beta/models/m:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: 'Hi' }] }] }),
    post('/nowhere', 'x'.repeat(1_000), 'Expect: 100-continue\r\n'),
  ]
  const sequences = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 })
  const check = async (requests: string[]): Promise<void> => {
    expect(await pipelined(fast, requests)).toBe(await pipelined(usual, requests))
  }
  await check(Array.from({ length: 6 }, () => kinds[0]!))
  await check(kinds)
  await fc.assert(fc.asyncProperty(sequences, check), { numRuns: 25, seed: 1 })
})

it('says once how long a connection is kept, as a rule does', async () => {
  const respond = { headers: { 'keep-alive': 'timeout=5' } }
  const rules: Rule[] = [{ match: { op: 'models.list' }, respond }]
  await using fast = await openDoor({ atOnce: true, rules })
  await using usual = await openDoor({ atOnce: false, rules })
  const answers = await pipelined(fast, [get('/v1/models')])
  expect(answers.split('/last')[0]!.match(/^keep-alive: .*$/gim)).toEqual(['Keep-Alive: timeout=5'])
  expect(answers).toBe(await pipelined(usual, [get('/v1/models')]))
})

it.each(['duplicate-events', 'split-character', 'invalid-json'] as const)(
  'leaves a stream that is due at once as the fault %s made it',
  async (type) => {
    const rules: Rule[] = [{ match: { op: 'chat.complete' }, fault: { type } }]
    await using fast = await openDoor({ atOnce: true, rules })
    await using usual = await openDoor({ atOnce: false, rules })
    const messages = [{ role: 'user', content: 'Hi [[say: ✓ ü ✓]]' }]
    const ask = post('/v1/chat/completions', { model: 'm', messages, stream: true })
    expect(await pipelined(fast, [ask])).toBe(await pipelined(usual, [ask]))
  },
)

it('keeps the order of answers where an earlier one comes late', async () => {
  const rules: Rule[] = [{ match: { op: 'models.list' }, on: 1, delay: '2s' }]
  await using door = await openDoor({ atOnce: true, rules })
  const answers = await pipelined(door, [get('/v1/models'), get('/first'), get('/second')], async () => {
    await expect.poll(() => door.sim.journal().length).toBe(4)
    await door.sim.clock.advance('2s')
  })
  const order = ['"object":"list"', '(GET /first)', '(GET /second)', '(GET /last)']
  expect(order.map((words) => answers.indexOf(words))).toEqual(
    order.map((words) => answers.indexOf(words)).toSorted((one, other) => one - other),
  )
  for (const words of order) expect(answers).toContain(words)
})

it('holds a client that asks and asks but never reads to what it has read', async () => {
  await using door = await openDoor({ atOnce: true })
  const socket = connect(door.port, '127.0.0.1').pause()
  await once(socket, 'connect')
  socket.write(get('/v1/models').repeat(20_000))
  await expect.poll(() => door.sim.journal({ last: 1 })[0]?.number ?? 0).toBeGreaterThan(0)
  let before = 0
  await expect
    .poll(
      () => {
        const now = door.sim.journal({ last: 1 })[0]!.number
        const stands = now === before
        before = now
        return stands
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true)
  expect(before).toBeLessThan(20_000)
  socket.destroy()
})

it('notes of a stream that it wrote at once what it would of any other', async () => {
  await using fast = await openDoor({ atOnce: true })
  await using usual = await openDoor({ atOnce: false })
  const messages = [{ role: 'user', content: '[[say: one and one and one]]' }]
  const asked = post('/v1/chat/completions', { model: 'm', messages, stream: true })
  const noted = async (door: typeof fast): Promise<unknown> => {
    await pipelined(door, [asked])
    return door.sim
      .journal({ operation: 'chat.complete' })
      .map(({ outcome, bytes, content, stream, firstByteAt }) => {
        return { outcome, bytes, content, stream, firstByteAt }
      })
  }
  const entries = await noted(fast)
  expect(entries).toMatchObject([{ outcome: 'completed', stream: { chunks: 5, ended: 'finished' } }])
  expect(await noted(usual)).toEqual(entries)
})
