import { execFile } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/server/index.ts'
import { temporaryFolder } from '../support/stopped-at-random.ts'

const preload = pathToFileURL(fileURLToPath(new URL('../../dist/virtual-timers.js', import.meta.url))).href

async function serve(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, clock: { mode: 'auto' }, ...options })
  onTestFinished(() => server.close())
  return server
}

/** Runs a program with virtual timers. @returns what it printed. */
async function runProgram(
  server: { url: string },
  program: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = temporaryFolder({ 'program.mjs': program })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', preload, join(folder, 'program.mjs')],
    {
      env: { PATH: process.env['PATH'], GREENROOM_URL: server.url, GREENROOM_KEY: 'sk-test', ...variables },
      timeout: 60_000,
    },
  )
  return stdout.trim()
}

it('names the lines that send each request, by fetch, node:http and through functions that wait', async () => {
  const server = await serve()
  await runProgram(
    server,
    `const { get } = await import('node:http')
    const url = process.env.GREENROOM_URL + '/v1/models'
    const headers = { authorization: 'Bearer sk-test' }
    const send = async () => fetch(url, { headers })
    await (await send()).text()
    await new Promise((resolve) => get(url, { headers }, (response) => response.resume().once('end', resolve)))
    setTimeout(() => fetch(url, { headers }).then((response) => response.text()), 5_000)
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    Error.prepareStackTrace = () => ({ mine: true })
    await (await fetch(url, { headers })).text()`,
  )
  const places = server.simulator.namespaces
    .get('default')
    .journal.entries()
    .map(({ place }) => place)
  expect(places).toEqual([
    'program.mjs:4 from program.mjs:5',
    'program.mjs:6',
    'program.mjs:7',
    'program.mjs:10',
  ])
})

it('measures waits by every clock of a program in virtual time', async () => {
  const printed = await runProgram(
    await serve(),
    `
    const start = [performance.now(), process.hrtime(), process.hrtime.bigint()]
    await new Promise((resolve) => setTimeout(resolve, 90_000))
    console.log(performance.now() - start[0], process.hrtime(start[1]).join(), process.hrtime.bigint() - start[2])
  `,
  )
  expect(printed).toBe('90000 90,0 90000000000n')
})

it('ends a loop that waits for a time which stands still', async () => {
  const printed = await runProgram(
    await serve(),
    `
    const start = Date.now()
    while (Date.now() < start + 50);
    console.log(Date.now() - start)
  `,
  )
  expect(printed).toBe('50')
})

it('draws the random numbers of a program from the seed, and others from another', async () => {
  const program = 'console.log(Math.random(), Math.random())'
  const [one, again, other] = [await serve(), await serve(), await serve({ seed: 2 })]
  const printed = await runProgram(one, program)
  expect(printed).toMatch(/^0\.\d+ 0\.\d+$/)
  expect(await runProgram(again, program)).toBe(printed)
  expect(await runProgram(other, program)).not.toBe(printed)
})

it('lets the time-out of a socket pass in virtual time, as axios sets it', async () => {
  const server = await serve({
    rules: [{ match: { op: 'models.list' }, attempts: ['hang'] }],
  } as ServerOptions)
  const printed = await runProgram(
    server,
    `
    import axios from ${JSON.stringify(import.meta.resolve('axios'))}
    const start = Date.now()
    const headers = { authorization: 'Bearer sk-test' }
    await axios.get(process.env.GREENROOM_URL + '/v1/models', { timeout: 45_000, headers })
      .catch(({ code }) => console.log(code, Date.now() - start))
  `,
  )
  expect(printed).toBe('ECONNABORTED 45000')
})

it('moves time while a program waits for a child without a turn of its event loop', async () => {
  const printed = await runProgram(
    await serve(),
    `
    import { execFileSync } from 'node:child_process'
    const start = Date.now()
    const child = 'setTimeout(() => console.log("slept"), 60_000)'
    const late = setTimeout(() => {}, 1_000)
    console.log(execFileSync(process.execPath, ['--import', process.execArgv[1], '-e', child]).toString().trim())
    clearTimeout(late)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    console.log(Date.now() - start)
  `,
  )
  expect(printed).toBe('slept\n61000')
})

it('lets the timers of a program pass in real time when the simulator has ended', async () => {
  const server = await startServer({ port: 0, clock: { mode: 'manual' } })
  const { clock } = server.simulator.control
  const printed = runProgram(server, "setTimeout(() => console.log('over'), 300)")
  while (clock.status('default').waiters === 0) await new Promise((resolve) => setImmediate(resolve))
  await server.close()
  expect(await printed).toBe('over')
})

it('follows a clock that moves by itself', async () => {
  const server = await serve({ clock: { rate: 10_000 } })
  const printed = await runProgram(
    server,
    `
    const start = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 600_000))
    console.log(Date.now() - start >= 600_000)
  `,
  )
  expect(printed).toBe('true')
})

it('takes part in the namespace of GREENROOM_NAMESPACE, with the control token', async () => {
  const server = await serve({ controlToken: 'long-enough-a-token' } as ServerOptions)
  const program = 'await new Promise((resolve) => setTimeout(resolve, 60_000)); console.log(Date.now())'
  const variables = { GREENROOM_NAMESPACE: 'mine', GREENROOM_CONTROL_TOKEN: 'long-enough-a-token' }
  expect(await runProgram(server, program, variables)).toBe(String(Date.UTC(2030, 0, 1, 0, 1)))
  expect(server.simulator.control.clock.now('default')).toBe(Date.UTC(2030, 0, 1))
  const refused = runProgram(server, program)
  await expect(refused).rejects.toThrow(/it returned 401: .*needs the token/)
})

it('moves no time while a response passes a proxy', async () => {
  const server = await serve()
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const port = (proxy.address() as AddressInfo).port
  const program = `
    const headers = { authorization: 'Bearer sk-test' }
    const late = setTimeout(() => process.exit(1), 30_000)
    const response = await fetch('http://127.0.0.1:${port}/v1/models', { headers })
    console.log(response.status, (await response.json()).object)
    clearTimeout(late)
  `
  expect(await runProgram(server, program)).toBe('200 list')
})

it('counts work of other threads, which Node does not list', async () => {
  const printed = await runProgram(
    await serve(),
    `
    import { promisify } from 'node:util'
    import { pbkdf2 } from 'node:crypto'
    import { gzip, gunzip } from 'node:zlib'
    let isLate = false
    const late = setTimeout(() => (isLate = true), 1_000)
    await promisify(pbkdf2)('a', 'b', 400_000, 64, 'sha512')
    const packed = await promisify(gzip)(Buffer.alloc(30_000_000, 'kite'))
    await promisify(gunzip)(packed)
    await crypto.subtle.digest('SHA-256', Buffer.alloc(50_000_000))
    clearTimeout(late)
    console.log(isLate)
  `,
  )
  expect(printed).toBe('false')
})

it('tells a receiver of callbacks each change at its instant, though nothing but its server keeps it alive', async () => {
  const printed = await runProgram(
    await serve({ drawing: { notifyHook: true }, seed: 1 } as ServerOptions),
    `
    import { createServer } from 'node:http'
    const begin = Date.now()
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      response.end('ok')
      const { status } = JSON.parse(text)
      if (status !== 'SUCCESS') return
      console.log(status, Date.now() - begin > 5_000)
      server.close()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    await fetch(process.env.GREENROOM_URL + '/mj/submit/imagine', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.GREENROOM_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a kite', notifyHook: 'http://127.0.0.1:' + server.address().port }),
    })
  `,
  )
  expect(printed).toBe('SUCCESS true')
}, 30_000)

it('lets time pass for a program that has both ends of connections, closes one and leaves bytes of the other unread', async () => {
  const printed = await runProgram(
    await serve(),
    `
    import { createServer } from 'node:http'
    import { connect } from 'node:net'
    const server = createServer((request, response) => response.end('x'.repeat(300_000))).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address()
    console.log((await (await fetch('http://127.0.0.1:' + port)).text()).length)
    const paused = connect(port, '127.0.0.1').pause()
    paused.on('error', () => {})
    paused.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    server.closeAllConnections()
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    console.log('woken')
    process.exit(0)
  `,
  )
  expect(printed).toBe('300000\nwoken')
}, 30_000)
