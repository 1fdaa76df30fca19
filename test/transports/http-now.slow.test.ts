import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpListener } from '../../src/transports/http/http.ts'
import { createSimulator, type Rule } from '../../src/index.ts'

const key = 'Authorization: Bearer sk-test\r\n'

/** A simulator behind a server of its own. */
async function openServer({ rules = [] }: { rules?: Rule[] } = {}) {
  const sim = createSimulator({ cacheDir: false, rules, clock: { mode: 'manual', start: '2030-01-01' } })
  const options = { origin: () => 'http://gateway.test', scheme: 'http', onBug: () => {} } as const
  const listener = createHttpListener(sim.core, options)
  const server = createServer({ keepAliveTimeout: 65_000 }, listener).listen(0, '127.0.0.1')
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

/** Sends requests down one connection, all at once, and collects what comes back until the server closes it. */
async function sendPipelined(
  { port }: { port: number },
  requests: readonly string[],
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  socket.on('data', (text: string) => (received += text))
  socket.on('error', () => {})
  socket.write(requests.join('') + get('/last', 'Connection: close\r\n'))
  await Promise.all([new Promise((resolve) => socket.once('close', resolve)), meanwhile()])
  return received
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: gateway.test\r\n${key}${headers}\r\n`
}

function post(path: string, body: unknown): string {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const headers = `Host: gateway.test\r\n${key}Content-Type: application/json\r\nContent-Length: ${length}`
  return `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n${text}`
}

it('sends the Keep-Alive header of a rule in place of its own', async () => {
  const respond = { headers: { 'keep-alive': 'timeout=5' } }
  await using server = await openServer({ rules: [{ match: { op: 'models.list' }, respond }] })
  const [first = '', second = ''] = (await sendPipelined(server, [get('/v1/models'), get('/other')])).split(
    /(?=HTTP\/1\.1 )/,
  )
  expect(first.match(/^keep-alive: .*$/gim)).toEqual(['Keep-Alive: timeout=5'])
  expect(second.match(/^keep-alive: .*$/gim)).toEqual(['Keep-Alive: timeout=65'])
})

it('sends the length of a delayed body also when a header of the rule names that header', async () => {
  const respond = { headers: { 'access-control-expose-headers': 'Content-Length' }, body: 'a text' }
  await using server = await openServer({ rules: [{ match: { op: 'models.list' }, respond, delay: '1s' }] })
  const received = await sendPipelined(server, [get('/v1/models')], async () => {
    await expect.poll(() => server.sim.journal().length).toBe(2)
    await server.sim.clock.advance('1s')
  })
  expect(received).toContain('Content-Length: 6\r\n')
})

it('keeps the order of pipelined responses when the first one is delayed', async () => {
  const rules: Rule[] = [{ match: { op: 'models.list' }, on: 1, delay: '2s' }]
  await using server = await openServer({ rules })
  const requests = [get('/v1/models'), get('/first'), get('/second')]
  const received = await sendPipelined(server, requests, async () => {
    await expect.poll(() => server.sim.journal().length).toBe(4)
    await server.sim.clock.advance('2s')
  })
  const places = ['"object":"list"', '(GET /first)', '(GET /second)', '(GET /last)'].map((words) =>
    received.indexOf(words),
  )
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
})

it('causes no warning when many requests wait on one connection', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  const rules: Rule[] = [{ match: { op: 'models.list' }, on: 1, delay: '2s' }]
  await using server = await openServer({ rules })
  const requests = Array.from({ length: 30 }, () => get('/v1/models'))
  await sendPipelined(server, requests, async () => {
    await expect.poll(() => server.sim.journal().length).toBe(31)
    await server.sim.clock.advance('2s')
  })
  process.off('warning', note)
  expect(warnings).toEqual([])
})

it.each(['close', 'reset', 'half-headers', 'garbage'] as const)(
  'breaks a pipelined response by %s after the ones before it were sent',
  async (type) => {
    const rules: Rule[] = [
      { match: { op: 'models.list' }, delay: '2s' },
      { match: { op: 'models.get' }, fault: { type } },
    ]
    await using server = await openServer({ rules })
    const received = await sendPipelined(
      server,
      [get('/v1/models'), get('/v1/models/sim-text-1')],
      async () => {
        await expect.poll(() => server.sim.journal().length).toBe(3)
        await server.sim.clock.advance('2s')
      },
    )
    expect(received).toContain('"object":"list"')
    expect(received).not.toContain('(GET /last)')
    expect(server.sim.journal({ operation: 'models.get' })).toMatchObject([
      { outcome: 'failed', fault: type },
    ])
  },
)

it('stops reading requests from a client that never reads responses', async () => {
  await using server = await openServer()
  const socket = connect(server.port, '127.0.0.1').pause()
  await once(socket, 'connect')
  socket.write(get('/v1/models').repeat(20_000))
  await expect.poll(() => server.sim.journal({ last: 1 })[0]?.number ?? 0).toBeGreaterThan(0)
  let before = 0
  await expect
    .poll(
      () => {
        const now = server.sim.journal({ last: 1 })[0]!.number
        const hasStopped = now === before
        before = now
        return hasStopped
      },
      { interval: 300, timeout: 20_000 },
    )
    .toBe(true)
  expect(before).toBeLessThan(20_000)
  socket.destroy()
})

it('sends a stream that is due as a whole in one chunk, and journals its chunks', async () => {
  await using server = await openServer()
  const messages = [{ role: 'user', content: '[[say: one and ünd one]]' }]
  const received = await sendPipelined(server, [
    post('/v1/chat/completions', { model: 'm', messages, stream: true }),
  ])
  const [head = '', size = '', ...rest] = received.split(/\r\n\r\n|\r\n(?=data)/)
  expect(head).toContain('Transfer-Encoding: chunked')
  const [entry] = server.sim.journal({ operation: 'chat.complete' })
  expect(entry).toMatchObject({
    outcome: 'completed',
    content: 'complete',
    stream: { chunks: 4, ended: 'finished' },
    firstByteAt: entry!.at,
    bytes: Number.parseInt(size, 16),
  })
  expect(rest.join('')).toContain('[DONE]')
})
