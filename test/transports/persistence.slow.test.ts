import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer as createPort, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Rule } from '../../src/index.ts'
import { openExpress, openSocket } from '../support/transports.ts'
import { listening } from '../support/express.ts'
import { ask, postChat, textModel } from '../support/text.ts'

const auth = 'Authorization: Bearer sk-test\r\n'

interface RawRequest {
  readonly version?: '1.0' | '1.1'
  readonly connection?: string | undefined
  readonly stream?: boolean
  readonly path?: string
}

/** A chat as bytes. */
function chatBytes({ version = '1.1', connection, stream = true, path = '' }: RawRequest): string {
  const body = JSON.stringify({ model: textModel, ...ask('[[say: one two three]]'), stream })
  return (
    `POST ${path}/v1/chat/completions HTTP/${version}\r\nHost: a\r\n${auth}Content-Type: application/json\r\n` +
    (connection === undefined ? '' : `Connection: ${connection}\r\n`) +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  )
}

/** Sends bytes, and reads until the server closes or the text that ends the response has come. */
async function exchangeRaw(url: string, bytes: string, untilText: string): Promise<RawResponse> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1')
  let text = ''
  let isClosed = false
  socket.on('data', (piece: string) => (text += piece))
  socket.once('close', () => (isClosed = true))
  socket.write(bytes)
  await expect.poll(() => isClosed || text.includes(untilText)).toBe(true)
  return {
    text: () => text,
    header: (name) =>
      new RegExp(`^${name}: (.*)$`, 'im').exec(text.split('\r\n\r\n')[0]!.replaceAll('\r', ''))?.[1],
    untilClosed: () => expect.poll(() => isClosed).toBe(true),
    async next(more) {
      text = ''
      socket.write(more)
      await expect.poll(() => text.split('\r\n')[0]).not.toBe('')
      return text.split('\r\n')[0]!
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

interface RawResponse extends Disposable {
  text(): string
  header(name: string): string | undefined
  untilClosed(): Promise<void>
  /** Sends another request on the connection, and returns its status line. */
  next(bytes: string): Promise<string>
}

const lastChunk = '\r\n0\r\n\r\n'
const paces = { 'at once': {}, 'token by token': { text: { timing: { tokensPerSecond: 100 } } } } as const
const transports = [
  ['socket', openSocket, ''],
  ['express', openExpress, '/gateway'],
] as const

describe.each(transports)('through %s', (_name, open, path) => {
  describe.each(Object.entries(paces))('a stream that comes %s', (_pace, options) => {
    it.each(['close', 'TE, close', 'Close'])(
      'closes the connection for a request with Connection: %s',
      async (connection) => {
        await using transport = await open(options)
        using response = await exchangeRaw(transport.url, chatBytes({ connection, path }), lastChunk)
        await response.untilClosed()
        expect(response.header('Connection')).toBe('close')
        expect(response.text()).toContain('[DONE]')
        await expect.poll(() => transport.sim.journal().at(-1)!.outcome).toBe('completed')
      },
    )

    it('ends for HTTP/1.0 with the connection, without chunks', async () => {
      await using transport = await open(options)
      using response = await exchangeRaw(transport.url, chatBytes({ version: '1.0', path }), '[DONE]\n\n')
      await response.untilClosed()
      expect([response.header('Connection'), response.header('Transfer-Encoding')]).toEqual([
        'close',
        undefined,
      ])
      expect(response.text().endsWith('[DONE]\n\n')).toBe(true)
    })

    it.each([undefined, 'keep-alive'])(
      'keeps the connection for a request with Connection: %s',
      async (connection) => {
        await using transport = await open(options)
        using response = await exchangeRaw(transport.url, chatBytes({ connection, path }), lastChunk)
        expect(response.header('Connection')).toBe('keep-alive')
        const models = `GET ${path}/v1/models HTTP/1.1\r\nHost: a\r\n${auth}\r\n`
        expect(await response.next(models)).toBe('HTTP/1.1 200 OK')
      },
    )
  })

  it.each<[string, string | undefined, string]>([
    ['keep-alive', 'close', 'close'],
    ['Keep-Alive, x-own', 'close', 'close'],
    ['close', undefined, 'close'],
    ['x-own, Close', undefined, 'x-own, Close'],
    ['keep-alive', undefined, 'keep-alive'],
  ])('answers Connection: %s of a rule, requested with %s, as %s', async (own, connection, expected) => {
    const respond = { headers: { connection: own } }
    const rules: Rule[] = [{ match: { op: 'chat.complete' }, respond }]
    await using transport = await open({ rules })
    const bytes = chatBytes({ connection, stream: false, path })
    using response = await exchangeRaw(transport.url, bytes, '"usage"')
    expect(response.header('Connection')).toBe(expected)
    if (expected !== 'keep-alive') await response.untilClosed()
  })
})

const missing = hasNginx() ? '' : ' (skipped: nginx is not installed)'

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** An nginx in front of a server. It asks to close each connection, and keeps those whose response says keep-alive. */
async function startNginx(target: string): Promise<{ url: string } & AsyncDisposable> {
  const reserved = createPort().listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  const { port } = reserved.address() as AddressInfo
  await new Promise((resolve) => reserved.close(resolve))
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-nginx-'))
  // Workers of an nginx that root started run as another user.
  chmodSync(folder, 0o755)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid nginx.pid; worker_processes 1; error_log stderr error;
    events {}
    http {
      access_log off; ${paths.join(' ')}
      upstream greenroom { server ${new URL(target).host}; keepalive 8; }
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://greenroom; proxy_http_version 1.1; proxy_read_timeout 5s; }
        location /old/ { proxy_pass http://greenroom/; proxy_http_version 1.0; proxy_read_timeout 5s; }
      }
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: 'inherit',
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(() =>
      fetch(`${url}/nowhere`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(404)
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A proxy that asks its server to close, as many do, but reuses connections that the response keeps alive. */
function startProxy(target: string): Promise<{ url: string } & AsyncDisposable> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return listening((incoming, outgoing) => {
    const { method, headers } = incoming
    const options = { method, headers: { ...headers, connection: 'close' }, agent } as const
    const upstream = request(target + incoming.url!, options, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    upstream.on('error', (error) => outgoing.writeHead(502).end(error.message))
    incoming.pipe(upstream)
  })
}

/** Streams and other requests in turn, each of which must be answered whole. */
async function useInTurn(url: string): Promise<void> {
  const call = (path: string, init?: RequestInit): Promise<Response> => fetch(url + path, init)
  for (let round = 0; round < 5; round++) {
    const streamed = await postChat({ call }, { ...ask('[[say: one two three]]'), stream: true })
    expect([streamed.status, await streamed.text()]).toEqual([200, expect.stringContaining('[DONE]')])
    const models = await call('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
    expect([models.status, await models.text()]).toEqual([200, expect.stringContaining('"object":"list"')])
  }
}

describe.each(Object.entries(paces))('streams that come %s', (_pace, options) => {
  describe.skipIf(missing !== '')(`through nginx${missing}`, () => {
    it.each(['', '/old'])('answers every request on reused connections, below "%s"', async (below) => {
      await using transport = await openSocket(options)
      await using proxy = await startNginx(transport.url)
      await useInTurn(proxy.url + below)
    })
  })

  it('answers every request through a proxy on node:http', async () => {
    await using transport = await openSocket(options)
    await using proxy = await startProxy(transport.url)
    await useInTurn(proxy.url)
  })
})
