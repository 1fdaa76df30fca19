import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readHello, readStatement } from '../../src/server/agents/lines.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/server/index.ts'

async function serve(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, clock: { mode: 'auto', start: '2030-01-01' }, ...options })
  onTestFinished(() => server.close())
  return server
}

interface RawAgent {
  readonly head: string
  /** The next line of the server. */
  readonly read: () => Promise<Record<string, unknown>>
  readonly say: (line: object) => void
  readonly socket: Socket
}

const identity = { hello: 1, pid: 4_711, parent: 1, name: 'client.py', thread: 0 }

/** Takes part as a program in any language does: a socket, and lines of JSON. */
async function takePart(
  { port }: { port: number },
  { path = '/_greenroom/clock/agent', headers = '', hello = identity as object } = {},
): Promise<RawAgent> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`CONNECT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
  const untilText = async (end: string): Promise<string> => {
    while (!text.includes(end) && !socket.readableEnded)
      await Promise.race([once(socket, 'data'), once(socket, 'end')])
    const index = text.indexOf(end)
    if (index < 0) throw new Error(`The server ended the connection: ${text}`)
    const found = text.slice(0, index)
    text = text.slice(index + end.length)
    return found
  }
  const say = (line: object): void => void socket.write(`${JSON.stringify(line)}\n`)
  const head = await untilText('\r\n\r\n')
  if (head.includes(' 200 ')) say(hello)
  else await once(socket, 'close')
  return {
    head: head + text,
    read: async () => JSON.parse(await untilText('\n')) as Record<string, unknown>,
    say,
    socket,
  }
}

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

it('lets a program in any language sleep on the clock by three lines', async () => {
  const server = await serve()
  const { head, read, say } = await takePart(server)
  expect(head).toMatch(/^HTTP\/1\.1 200 OK/)
  const start = Date.UTC(2030, 0, 1)
  expect(await read()).toEqual({ n: 1, now: start, rate: 0, seed: '1' })
  say({ seen: 1, set: [[1, 3_600_000]] })
  expect(await read()).toEqual({ n: 2, now: start + 3_600_000, rate: 0, fire: 1 })
})

it('moves no time while a response is on its way to the program, and hears of bytes rather than of instants', async () => {
  const server = await serve()
  const { read, say } = await takePart(server)
  await read()
  const request = connect(server.port, '127.0.0.1')
  onTestFinished(() => void request.destroy())
  await once(request, 'connect')
  const { localPort } = request
  request.write('GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-test\r\n\r\n')
  const sent = request.bytesWritten
  // The server tells the time, since no statement lists the connection of this request.
  expect(await read()).toMatchObject({ n: 2 })
  say({ seen: 2, set: [[1, 60_000]], connections: [[localPort, server.port, 0, sent, 8, 1]] })
  await once(request, 'data')
  const { why } = server.simulator.control.clock.status('default')
  expect(why).toBe(
    `auto: waiting for the processes that take part: bytes are on their way on the connection of port ${localPort}`,
  )
  const { n } = await read()
  say({ seen: n, connections: [[localPort, server.port, request.bytesRead, sent, 0, 1]] })
  expect(await read()).toMatchObject({ fire: 1, now: Date.UTC(2030, 0, 1, 0, 1) })
})

it('answers requests of other programs at once', async () => {
  const server = await serve()
  const { read, say } = await takePart(server)
  const answer = fetch(`${server.url}/v1/models`, { headers })
  await read()
  expect(await read()).toMatchObject({ n: 2 })
  say({ seen: 2, busy: ['a file'] })
  expect((await answer).status).toBe(200)
})

it('names a child that takes no part, and a proxy that a response has to pass', async () => {
  const server = await serve()
  const { say, read } = await takePart(server)
  await read()
  const { clock } = server.simulator.control
  const untilWhy = async (pattern: RegExp): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (pattern.test(clock.status('default').why)) return
    }
  }
  say({ seen: 1, set: [[1, 5_000]], children: [process.pid] })
  await untilWhy(/process \d+ \(\w+.*\) takes no part in the clock, or has yet to begin/)
  say({ seen: 1, connections: [[1_234, 3_128, 0, 200, 8, 1]] })
  await untilWhy(/a response of port 3128, which takes no part in the clock, such as a proxy/)
  for (let message = await read(); message['fire'] === undefined; message = await read())
    say({ seen: message['n'], connections: [[1_234, 3_128, 0, 200, 0, 1]] })
})

it('says over HTTP, too, why time stands still', async () => {
  const server = await serve()
  const { say, read } = await takePart(server)
  await read()
  say({ seen: 1, set: [[1, 5_000]], connections: [[1_234, 3_128, 0, 200, 8, 1]] })
  let why = ''
  while (!why.includes('3128'))
    ({ why } = (await (await fetch(`${server.url}/_greenroom/clock`)).json()) as { why: string })
  expect(why).toMatch(/^auto: waiting for the processes that take part: a response of port 3128/)
})

it('takes each line that docs/reference/clock-protocol.md shows', () => {
  const page = readFileSync(new URL('../../docs/reference/clock-protocol.md', import.meta.url), 'utf8')
  const lines = [...page.matchAll(/^(?:> )?(\{.*\})$/gm)].map(
    ([, line]) => JSON.parse(line!) as Record<string, unknown>,
  )
  const statements = lines.filter((line) => 'seen' in line)
  expect(statements.map((line) => readStatement(line))).toEqual(statements)
  const hellos = lines.filter((line) => 'hello' in line)
  for (const hello of hellos) expect({ hello: 1, ...readHello(hello) }).toEqual(hello)
  expect([statements.length, hellos.length]).toEqual([4, 2])
})

it('waits for a process that is followed until it takes part, once another does', async () => {
  const server = await serve()
  const end = server.follow(process.pid)
  const { say, read } = await takePart(server)
  await read()
  say({ seen: 1, set: [[1, 5_000]] })
  const { clock } = server.simulator.control
  while (!clock.status('default').why.includes('takes no part'))
    await new Promise((resolve) => setImmediate(resolve))
  expect(clock.now('default')).toBe(Date.UTC(2030, 0, 1))
  end()
  expect(await read()).toMatchObject({ fire: 1 })
})

it('takes part in the namespace that the connection names', async () => {
  const server = await serve()
  const byPath = await takePart(server, { path: '/ns/one/_greenroom/clock/agent' })
  await byPath.read()
  byPath.say({ seen: 1, set: [[1, 5_000]] })
  await byPath.read()
  const byHeader = await takePart(server, { headers: 'X-Greenroom-Namespace: two\r\n' })
  await byHeader.read()
  const { clock } = server.simulator.control
  expect(clock.status('one')).toMatchObject({ now: Date.UTC(2030, 0, 1, 0, 0, 5), isExact: true })
  expect(clock.status('two').agents).toEqual(['process 4711 (client.py)'])
  expect(clock.status('default').agents).toEqual([])
})

it('holds the clock of each namespace to which a process sends requests', async () => {
  const server = await serve()
  const { read, say } = await takePart(server)
  await read()
  const request = connect(server.port, '127.0.0.1')
  onTestFinished(() => void request.destroy())
  await once(request, 'connect')
  request.write('GET /ns/other/v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-test\r\n\r\n')
  await read()
  say({
    seen: 2,
    connections: [[request.localPort, server.port, 0, request.bytesWritten, 8, 1]],
  })
  const [answer] = (await once(request, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/)
  expect(server.simulator.control.clock.status('other').agents).toEqual(['process 4711 (client.py)'])
})

it('asks for the control token, and takes no other path', async () => {
  const server = await serve({ controlToken: 'long-enough-a-token' } as ServerOptions)
  expect((await takePart(server)).head).toMatch(/^HTTP\/1\.1 401 .*needs the token/s)
  const withToken = await takePart(server, { headers: 'Authorization: Bearer long-enough-a-token\r\n' })
  expect(await withToken.read()).toMatchObject({ n: 1 })
  expect((await takePart(server, { path: 'example.test:443' })).head).toMatch(/^HTTP\/1\.1 405 /)
})

it.each([
  [{ hello: 2 }, /The first line has a wrong hello/],
  [{ ...identity, pid: 'x' }, /The first line has a wrong pid/],
])('says what is wrong with a first line: %j', async (hello, message) => {
  const { read } = await takePart(await serve(), { hello })
  expect(await read()).toEqual({ error: expect.stringMatching(message) as string })
})

it.each([
  [{ seen: -1 }, /A statement has a wrong seen/],
  [{ seen: 1, set: [[1, 'soon']] }, /A statement has a wrong set\.0\.1/],
  [{ seen: 1, connections: [[1]] }, /A statement has a wrong connections\.0/],
])('says what is wrong with a statement, and goes on without the process: %j', async (statement, message) => {
  const server = await serve()
  const { read, say, socket } = await takePart(server)
  await read()
  say(statement)
  expect(await read()).toEqual({ error: expect.stringMatching(message) as string })
  if (!socket.closed) await once(socket, 'close')
  while (server.simulator.control.clock.status('default').agents.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
})

it('takes a report that a client receives for something that is on its way', async () => {
  let port = 0
  const received: string[] = []
  const receiver = createServer((request, response) => {
    request.on('data', (bytes: Buffer) => received.push(bytes.toString()))
    request.on('end', () => response.end('ok'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  port = (receiver.address() as AddressInfo).port
  const server = await serve({ drawing: { notifyHook: true } } as ServerOptions)
  const body = JSON.stringify({ prompt: 'a kite', notifyHook: `http://127.0.0.1:${port}/hook` })
  await fetch(`${server.url}/mj/submit/imagine`, { method: 'POST', headers, body })
  const { read, say } = await takePart(server)
  let { n, fire } = await read()
  say({ seen: n, set: [[1, 120_000]] })
  while (fire === undefined) {
    ;({ n, fire } = await read())
    say({ seen: n })
  }
  expect(received.join('\n')).toContain('SUCCESS')
})

it('lets time pass a connection between processes of which one end is closed and the other leaves bytes unread', async () => {
  const server = await serve()
  const first = await takePart(server)
  const second = await takePart(server, { hello: { ...identity, pid: 4_712 } })
  await Promise.all([first.read(), second.read()])
  const [closed, paused] = [2, 4]
  second.say({ seen: 1, mark: 1, connections: [[8_000, 9_000, 10, 0, paused, 1]] })
  first.say({ seen: 1, mark: 1, set: [[1, 5_000]], connections: [[9_000, 8_000, 0, 500, closed, 1]] })
  // A process lists an end that it has closed only once.
  await Promise.all([first.read(), second.read()])
  first.say({ seen: 2, mark: 1 })
  second.say({ seen: 2, mark: 1, connections: [[8_000, 9_000, 10, 0, paused | 8, 1]] })
  // The second process learns the new time before anything happens at that time.
  expect(await first.read()).toMatchObject({ n: 3, now: Date.UTC(2030, 0, 1, 0, 0, 5) })
})

it('requests a new statement while bytes seem to be on their way to a process that may have received them', async () => {
  const server = await serve()
  const { read, say } = await takePart(server)
  await read()
  const request = connect(server.port, '127.0.0.1')
  onTestFinished(() => void request.destroy())
  await once(request, 'connect')
  const { localPort } = request
  request.write('GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-test\r\n\r\n')
  const sent = request.bytesWritten
  await read()
  say({ seen: 2, mark: 1, set: [[1, 60_000]], connections: [[localPort, server.port, 0, sent, 8, 1]] })
  await once(request, 'data')
  const { n } = await read()
  say({ seen: n, mark: 2, connections: [[localPort, server.port, request.bytesRead, sent, 0, 1]] })
  expect(await read()).toMatchObject({ fire: 1 })
})

it('reports a program that nothing can wake', async () => {
  const server = await serve()
  const { read, say } = await takePart(server)
  await read()
  say({ seen: 1, set: [[1, 1_000]] })
  const { n, fire } = await read()
  expect(fire).toBe(1)
  say({ seen: n })
  const { clock } = server.simulator.control
  while (!clock.status('default').stuck) await new Promise((resolve) => setImmediate(resolve))
  expect(clock.status('default').why).toBe(
    'auto: deadlock: every process of the client waits, and nothing can wake it: no timer is set, and no response or callback is due',
  )
})
