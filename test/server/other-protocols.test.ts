import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/server/server.ts'

async function listening() {
  const warnings: string[] = []
  const sim = createSimulator({ cacheDir: false })
  const server = await listen(sim.core, {
    port: 0,
    host: '127.0.0.1',
    onWarning: (message) => warnings.push(message),
  })
  onTestFinished(server.close)
  return { ...server, warnings, sim }
}

it('says that a client speaks HTTPS, once, and refuses it in TLS', async () => {
  const { url, port, warnings } = await listening()
  for (let tries = 0; tries < 2; tries += 1) {
    const [error] = await once(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }), 'error')
    expect(String(error)).toContain('alert protocol version')
  }
  expect(warnings).toEqual([
    `A client speaks HTTPS to this port, which speaks HTTP. Write ${url} as its base URL, with http.`,
  ])
})

it('says that a client speaks HTTP/2, and asks it for HTTP/1.1', async () => {
  const { url, warnings } = await listening()
  const session = connectHttp2(url)
  session.on('error', () => undefined)
  const [code, , data] = await once(session, 'goaway')
  session.destroy()
  expect([code, String(data)]).toEqual([13, 'This server speaks HTTP/1.1.'])
  expect(warnings).toEqual([
    `A client speaks HTTP/2 without TLS to ${url}, which speaks HTTP/1.1. Switch it to HTTP/1.1.`,
  ])
})

it('refuses other bytes in the envelope of the gateway, without a warning', async () => {
  const { port, warnings } = await listening()
  const socket = connectTcp(port, '127.0.0.1').end('SSH-2.0-OpenSSH_9.6\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 Bad Request/)
  expect(warnings).toEqual([])
})

it.each([
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
])('lets no request pass behind %s', async (_what, bytes) => {
  const { port, sim } = await listening()
  const socket = connectTcp(port, '127.0.0.1')
  socket.end(Buffer.from(`${bytes}GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n`, 'latin1')).resume()
  await once(socket, 'close')
  expect(sim.journal()).toEqual([])
})
