import { expect, it } from 'vitest'
import type { ByteEffect, Chunks } from '../../src/engine/reply.ts'
import type { JournalEntry } from '../../src/gateway/journal.ts'
import {
  maxBodyCharacters,
  maxStoredExchanges,
  MessageStore,
  type ExchangeMessages,
} from '../../src/gateway/messages.ts'
import type { GatewayRequest } from '../../src/gateway/request.ts'
import { applyFault, type Fault } from '../../src/scenario/faults/index.ts'

const request: GatewayRequest = {
  transport: 'socket',
  method: 'POST',
  target: '/v1/videos',
  headers: { 'content-type': 'application/json', 'x-twice': ['a', 'b'] },
  origin: '',
}

const entryIn = (namespace: string): JournalEntry => ({ namespace }) as JournalEntry

const open = (more: Partial<GatewayRequest> = {}, credential = ''): ExchangeMessages =>
  new MessageStore().open(entryIn('default'), { ...request, ...more }, credential)

const bodyOf = (text: string, contentType = 'application/json'): unknown =>
  new MessageStore().readBody(new TextEncoder().encode(text), contentType)

function brokenBy(fault: Fault): ByteEffect {
  const reply = { status: 200, headers: {}, body: '', delayMs: 0 }
  return applyFault(reply, fault, { draw: () => 0, url: '' }).effect!
}

async function follow(messages: ExchangeMessages, chunks: Chunks): Promise<void> {
  for await (const _ of messages.follow(chunks));
}

it('stores both messages of an exchange', () => {
  const store = new MessageStore()
  const entry = entryIn('default')
  const body = store.readBody(new TextEncoder().encode('{"a":1}'), 'application/json')
  const messages = store.open(entry, request, '', body)
  expect(store.find(entry)).toEqual({
    request: {
      line: 'POST /v1/videos',
      headers: [
        ['content-type', 'application/json'],
        ['x-twice', 'a'],
        ['x-twice', 'b'],
      ],
      body: '{"a":1}',
      truncated: false,
    },
    reply: null,
  })
  messages.begin(201, ['X-Id', 'content-type', 'Content-Type', 'text/plain; charset=utf-8'])
  messages.add('two ')
  messages.add(new TextEncoder().encode('parts'))
  expect(store.find(entry)?.reply).toEqual({
    line: 'HTTP/1.1 201',
    headers: [
      ['X-Id', 'content-type'],
      ['Content-Type', 'text/plain; charset=utf-8'],
    ],
    body: 'two parts',
    truncated: false,
  })
})

it('describes bytes that are no text by their type and size', () => {
  const messages = open()
  messages.begin(200, ['Content-Type', 'video/mp4'])
  expect(messages.read().reply?.body).toBe('')
  messages.add(new Uint8Array(3))
  messages.add(new Uint8Array(4))
  expect(messages.read().reply?.body).toBe('(video/mp4, 7 bytes)')
  expect(bodyOf('GIF89a', 'image/gif')).toEqual({ text: '(image/gif, 6 bytes)', truncated: false })
  expect(bodyOf('', 'image/gif')).toEqual({ text: '', truncated: false })
})

it.each([
  ['reset', '(the connection was reset before a response)'],
  ['close', '(the connection was closed before a response)'],
  ['half-headers', '(the connection was closed in the middle of the headers)'],
  ['garbage', '(bytes that are no HTTP, then the connection was closed)'],
] as const)('says of a response lost by %s how it was lost', (type, line) => {
  const messages = open()
  messages.lose(brokenBy({ type }).noResponse!)
  expect(messages.read().reply).toEqual({ line, headers: [], body: '', truncated: false })
})

it.each([
  [{ type: 'truncate' }, 'close', 'begun\n(the connection was closed here)'],
  [{ type: 'reset', at: '50%' }, 'reset', 'begun\n(the connection was reset here)'],
  [
    { type: 'malformed-chunk' },
    'malformed-chunk',
    'begun\n(an invalid chunk came here, then the connection was closed)',
  ],
] as const)('ends a body broken by $type with how it did', async (fault, name, body) => {
  const messages = open()
  messages.begin(200, ['Content-Type', 'text/event-stream'])
  const chunks = async function* (): Chunks {
    yield { data: 'begun' }
    yield { data: 'and so' }
  }
  const wire = { totalBytes: 10, now: () => 0, wait: () => Promise.resolve() }
  const carried = brokenBy(fault).carry!(chunks(), wire)
  await expect(follow(messages, carried)).rejects.toThrow(`The response breaks off here (${name}).`)
  expect(messages.read().reply?.body).toBe(body)
})

it('says nothing of a connection when the body fails for another reason', async () => {
  const messages = open()
  messages.begin(200, ['Content-Type', 'text/plain'])
  const chunks = async function* (): Chunks {
    yield { data: 'begun' }
    throw new Error('disk full')
  }
  await expect(follow(messages, chunks())).rejects.toThrow('disk full')
  expect(messages.read().reply?.body).toBe('begun')
})

it.each([
  ['authorization', 'Bearer sk-0123456789abcdef', 'Bearer sk-01…ef'],
  ['proxy-authorization', 'Basic sk-0123456789abcdef', 'Basic sk-01…ef'],
  ['x-api-key', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['api-key', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['mj-api-secret', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['x-auth-token', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['cookie', 'session=0123456789abcdef', '…'],
  ['set-cookie', 'session=0123456789abcdef', '…'],
  ['x-token-count', '0123456789abcdef', '0123456789abcdef'],
])('shows the header %s: %s as %s', (name, value, masked) => {
  expect(open({ headers: { [name]: value } }).read().request.headers).toEqual([[name, masked]])
})

it('masks the key of the request wherever it is, and keys in URLs', () => {
  const key = 'sk-0123456789abcdef'
  const messages = open({ target: '/v1beta/models?key=AIza0123456789abcd&alt=sse' }, key)
  messages.begin(200, ['Content-Type', 'text/plain', 'X-Echo', key])
  messages.add(`your key is ${key}`)
  const { request: sent, reply } = messages.read()
  expect(sent.line).toBe('POST /v1beta/models?key=AIza0…cd&alt=sse')
  expect(reply?.headers[1]).toEqual(['X-Echo', 'sk-01…ef'])
  expect(reply?.body).toBe('your key is sk-01…ef')
})

it('stores the beginning of a long body, and says that there was more', () => {
  const most = 'x.'.repeat(maxBodyCharacters / 2)
  expect(bodyOf(most)).toEqual({ text: most, truncated: false })
  expect(bodyOf(`${most}y`)).toEqual({ text: most, truncated: true })
  const read = (...parts: string[]): unknown => {
    const messages = open()
    messages.begin(200, ['Content-Type', 'text/plain'])
    for (const part of parts) messages.add(part)
    const { body, truncated } = messages.read().reply!
    return { text: body, truncated }
  }
  expect(read(most)).toEqual({ text: most, truncated: false })
  expect(read(`${most}y`)).toEqual({ text: most, truncated: true })
  expect(read(most, 'y')).toEqual({ text: most, truncated: true })
  expect(read(most, 'y', 'z')).toEqual({ text: most, truncated: true })
})

it('shows images in a body by their size', () => {
  expect(bodyOf(`{"image":"${'A'.repeat(512)}"}`)).toEqual({
    text: '{"image":"(384 bytes)"}',
    truncated: false,
  })
  expect(bodyOf(`{"image":"${'A'.repeat(511)}"}`)).toMatchObject({ text: expect.stringContaining('AAA') })
})

it('shows the files of a form by their size, and its fields as they are', () => {
  const form = [
    '--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\na kite\r\n',
    '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n12345\r\n',
    '--b--\r\n',
  ].join('')
  expect(bodyOf(form, 'multipart/form-data; boundary=b')).toEqual({
    text: form.replace('12345', '(5 bytes)'),
    truncated: false,
  })
  expect(bodyOf('no boundary', 'multipart/form-data')).toEqual({ text: '(11 bytes)', truncated: false })
})

it('lets the oldest exchange give way, and forgets those of a namespace', () => {
  const store = new MessageStore()
  const entries = Array.from({ length: maxStoredExchanges + 1 }, (_, index) =>
    entryIn(index % 2 === 0 ? 'even' : 'odd'),
  )
  for (const entry of entries) store.open(entry, request, '')
  const isStored = (index: number): boolean => store.find(entries[index]!) !== undefined
  expect([isStored(0), isStored(1), isStored(2)]).toEqual([false, true, true])
  store.forget('odd')
  expect([isStored(1), isStored(2)]).toEqual([false, true])
})

it.each([
  ['Authorization', 'Bearer   sk-0123456789abcdef', 'Bearer   sk-01…ef'],
  ['authorization', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['authorization', 'Bearer two words of it', 'Bearer two w…it'],
  ['x-authorization', 'sk-0123456789abcdef', 'sk-0123456789abcdef'],
  ['x-apikey', 'sk-0123456789abcdef', 'sk-01…ef'],
  ['x-api-key-hint', 'sk-0123456789abcdef', 'sk-0123456789abcdef'],
  ['x-cookie', 'a=1', 'a=1'],
  ['Set-Cookie', 'a=1', '…'],
])('masks the header %s: %s as %s', (name, value, masked) => {
  expect(open({ headers: { [name]: value } }).read().request.headers).toEqual([[name, masked]])
})

it.each([
  ['/a?api_key=0123456789abcdef', '/a?api_key=01234…ef'],
  ['/a?apikey=0123456789abcdef#x', '/a?apikey=01234…ef#x'],
  [
    '/a?b=1&token=0123456789abcdef&access_token=0123456789abcdef',
    '/a?b=1&token=01234…ef&access_token=01234…ef',
  ],
  ['/a?KEY=0123456789abcdef', '/a?KEY=01234…ef'],
  ['/a?monkey=0123456789abcdef', '/a?monkey=0123456789abcdef'],
  ['/a?key=', '/a?key='],
])('masks the keys in the target %s', (target, masked) => {
  expect(open({ target }).read().request.line).toBe(`POST ${masked}`)
})

it('masks no credential of less than four characters, and shows two thousand characters of a target', () => {
  expect(open({ target: '/abc' }, 'abc').read().request.line).toBe('POST /abc')
  expect(open({ target: '/abcd' }, 'abcd').read().request.line).toBe('POST /abc…')
  expect(open({ target: `/${'x'.repeat(3_000)}` }).read().request.line).toHaveLength(2_000)
})

it.each([
  ['text/csv', true],
  ['application/json; charset=utf-8', true],
  ['application/problem+json', true],
  ['application/xml', true],
  ['application/x-www-form-urlencoded', true],
  ['application/x-ndjson', true],
  ['application/yaml', true],
  ['', true],
  ['application/octet-stream', false],
  ['application/jsonp', false],
  ['image/svg+xml', false],
  ['x-text/plain', false],
])('takes a body of the type %j for text: %s', (type, isText) => {
  expect(bodyOf('abc', type)).toEqual({ text: isText ? 'abc' : `(${type}, 3 bytes)`, truncated: false })
  const messages = open()
  messages.begin(200, type === '' ? [] : ['content-TYPE', type])
  messages.add(new TextEncoder().encode('abc'))
  messages.add('def')
  expect(messages.read().reply?.body).toBe(isText ? 'abcdef' : `(${type}, 6 bytes)`)
})

it('shows images of a response by their size, too, and text after them', () => {
  const messages = open()
  messages.begin(200, ['Content-Type', 'application/json'])
  messages.add(`{"image":"${'A'.repeat(20_000)}==","a":1}`)
  expect(messages.read().reply).toMatchObject({ body: '{"image":"(15001 bytes)","a":1}', truncated: false })
})

it('puts characters together that are divided between two parts', () => {
  const messages = open()
  messages.begin(200, ['Content-Type', 'text/plain'])
  const bytes = new TextEncoder().encode('é漢')
  messages.add(bytes.subarray(0, 1))
  messages.add(bytes.subarray(1))
  expect(messages.read().reply?.body).toBe('é漢')
  messages.add(new Uint8Array([0xff]))
  expect(messages.read().reply?.body).toBe('é漢\ufffd')
})

it('describes forms without files as they are, and files without a boundary by their size', () => {
  const type = 'multipart/form-data; boundary=b'
  expect(bodyOf('--b\r\nno header\r\n--b--\r\n', type)).toEqual({
    text: '--b\r\nno header\r\n--b--\r\n',
    truncated: false,
  })
  const form = '--b\r\nContent-Type: image/png\r\n\r\n\r\n--b--\r\n'
  expect(bodyOf(form, type)).toEqual({
    text: form.replace('\r\n\r\n\r\n', '\r\n\r\n(0 bytes)\r\n'),
    truncated: false,
  })
  expect(bodyOf('\r\n--b', type)).toEqual({ text: '(5 bytes)', truncated: false })
})

it('looks for the parts of a form in bodies of up to four megabytes', () => {
  const describe = (bytes: number): unknown =>
    new MessageStore().readBody(new Uint8Array(bytes), 'multipart/form-data')
  expect(describe(4 * 1024 * 1024)).toEqual({ text: '(4194304 bytes)', truncated: false })
  expect(describe(4 * 1024 * 1024 + 1)).toEqual({
    text: '(multipart/form-data, 4194305 bytes)',
    truncated: false,
  })
})
