import { expect, it } from 'vitest'
import { openWatched } from './open.ts'
import { answersIn, sendRaw } from './raw.ts'
import { expectSound } from './sound.ts'

const auth = 'Authorization: Bearer sk-test\r\n'
const json = 'Content-Type: application/json\r\n'
const submit = `POST /v1/video/generations HTTP/1.1\r\nHost: a\r\n${auth}${json}`
const poll = `GET /v1/video/generations/task_x HTTP/1.1\r\nHost: a\r\n${auth}\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n'
const body = '{"model":"video-1","prompt":"a kite"}'
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`

/** What is sent, with the status of each answer; none for a clean end without one. */
const shapes: readonly [name: string, sent: string, statuses: readonly number[]][] = [
  ['a length and chunks at once', `${submit}Content-Length: 4\r\n${chunked}\r\n${chunk}0\r\n\r\n`, [400]],
  ['chunks and a length at once', `${submit}${chunked}Content-Length: 4\r\n\r\n${chunk}0\r\n\r\n`, [400]],
  ['two lengths that differ', `${submit}Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}${poll}`, [400]],
  ['two lengths that agree', `${submit}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, [400]],
  ['a list of lengths', `${submit}Content-Length: 2, 2\r\n\r\n{}`, [400]],
  ['a negative length', `${submit}Content-Length: -1\r\n\r\n{}`, [400]],
  ['a length with a sign', `${submit}Content-Length: +2\r\n\r\n{}`, [400]],
  ['a length in hexadecimal', `${submit}Content-Length: 0x2\r\n\r\n{}`, [400]],
  ['a length beyond all numbers', `${submit}Content-Length: 99999999999999999999\r\n\r\n{}`, [400]],
  ['a space before the colon', `${submit}Content-Length : 2\r\n\r\n{}`, [400]],
  ['an unknown encoding', `${submit}Transfer-Encoding: xchunked\r\n\r\n${chunk}0\r\n\r\n`, [400]],
  [
    'chunks that are not the last encoding',
    `${submit}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  ['two encodings', `${submit}${chunked}Transfer-Encoding: identity\r\n\r\n${chunk}0\r\n\r\n`, [400]],
  ['an encoding behind a vertical tab', `${submit}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`, [400]],
  ['a chunk without a size', `${submit}${chunked}\r\n\r\n${body}\r\n0\r\n\r\n`, [400]],
  ['a chunk of a negative size', `${submit}${chunked}\r\n-5\r\n${body}\r\n0\r\n\r\n`, [400]],
  ['a chunk of a size beyond all numbers', `${submit}${chunked}\r\nfffffffffffffffff\r\n${body}`, [400]],
  ['a chunk with a size in another notation', `${submit}${chunked}\r\n0x25\r\n${body}\r\n0\r\n\r\n`, [400]],
  ['a chunk longer than its size', `${submit}${chunked}\r\n5\r\n${body}\r\n0\r\n\r\n`, [400]],
  ['a chunk whose size ends with a bare line feed', `${submit}${chunked}\r\n25\n${body}\r\n0\r\n\r\n`, [400]],
  [
    'a chunk with an endless extension',
    `${submit}${chunked}\r\n1;${'x'.repeat(40_000)}\r\n{\r\n0\r\n\r\n`,
    [413],
  ],
  [
    'trailers that would be headers',
    `${submit}${chunked}\r\n${chunk}0\r\nAuthorization: Bearer x\r\n\r\n`,
    [200],
  ],
  ['a folded header', `${submit}X-Long: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`, [400]],
  ['lines that end with bare line feeds', `${poll.replaceAll('\r\n', '\n')}`, [400]],
  ['a bare carriage return in a header', `GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n`, [400]],
  ['a zero byte in a header', `GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n`, [400]],
  ['a header without a name', `GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n`, [400]],
  ['a header without a colon', `GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`, [400]],
  ['a header of 64 kB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`, [431]],
  ['a path of 64 kB', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
  ['headers without an end', `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(20_000)}`, [431]],
  ['no version', 'GET /\r\n\r\n', [400]],
  ['a version of the future', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', [400]],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  ['a method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  ['a path with a space', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  ['a path that is no path', 'GET v1/models HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  ['the target of all', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', [204]],
  ['an absolute target', poll.replace('GET ', 'GET http://b'), [400]],
  [
    'an absolute target of the control plane',
    'GET http://evil/_greenroom/clock HTTP/1.1\r\nHost: evil\r\n\r\n',
    [403],
  ],
  [
    'an absolute target of the control plane at another host than in its headers',
    'GET http://evil/_greenroom/clock HTTP/1.1\r\nHost: localhost\r\n\r\n',
    [403],
  ],
  ['an absolute target without a host', 'GET http:///v1/models HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: a\r\n\r\n', [405]],
  [
    'a websocket',
    'GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    [401],
  ],
  [
    'HTTP/2 over an upgrade',
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    [404],
  ],
  [
    'an unsupported expectation',
    `${submit}Expect: a-miracle\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    [200],
  ],
  [
    'a body with a GET',
    `GET /v1/video/generations/x HTTP/1.1\r\nHost: a\r\n${auth}Content-Length: 5\r\n\r\nhello`,
    [400],
  ],
  ['a trace', `TRACE / HTTP/1.1\r\nHost: a\r\nCookie: secret\r\n\r\n`, [404]],
]

it('reads every header that fits in its bytes, the last of 2,400, too', async () => {
  await using server = await openWatched()
  const many = 'x:y\r\n'.repeat(2_400)
  const { bytes } = await sendRaw(server.url, [`GET /v1/models HTTP/1.1\r\nHost: a\r\n${many}${auth}\r\n`])
  expect(answersIn(bytes).map(({ status }) => status)).toEqual([200])
})

it.each(shapes)('answers %s, once, and lets nothing pass behind it', async (_name, sent, statuses) => {
  await using server = await openWatched()
  const { bytes, closed } = await sendRaw(server.url, [Buffer.from(sent, 'latin1')])
  const answers = answersIn(bytes)
  for (const { status, headers, body: text } of answers)
    expectSound({ status, type: headers.get('content-type') ?? '', text: text.toString() }, sent.slice(0, 80))
  expect([closed, answers.map(({ status }) => status)]).toEqual([true, statuses])
  expect(server.mistakes).toEqual([])
})

it.each([
  ['with a length', `${submit}Content-Length: 99\r\n\r\n${body}`],
  ['in chunks', `${submit}${chunked}\r\n${chunk}`],
])(
  'answers a delayed request before one whose body %s breaks off, on a clock of mode auto',
  async (_name, broken) => {
    await using server = await openWatched({ rules: [{ match: { op: 'models.list' }, delay: '1s' }] })
    const delayed = `GET /v1/models HTTP/1.1\r\nHost: a\r\n${auth}\r\n`
    const { bytes, closed } = await sendRaw(server.url, [delayed + broken], { patienceMs: 3_000 })
    expect([closed, answersIn(bytes).map(({ status }) => status)]).toEqual([true, [200, 400]])
    await expect.poll(() => server.sim.journal({ outcome: 'open' })).toEqual([])
    expect(server.mistakes).toEqual([])
  },
)
