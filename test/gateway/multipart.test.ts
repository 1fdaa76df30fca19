import { caps } from '../../src/engine/caps.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  maxBoundary,
  maxPartHeaderBytes,
  readForm,
  readParts,
  type FormPart,
} from '../../src/gateway/bodies/form.ts'
import { createSimulator } from '../../src/index.ts'
import { codePoint } from '../support/arbitraries.ts'

const contentType = 'multipart/form-data; boundary="x y"'
const read = (text: string): FormPart[] | undefined => readParts(new TextEncoder().encode(text), contentType)
const summary = (parts: FormPart[] | undefined): unknown =>
  parts?.map(({ name, fileType, bytes }) => [name, fileType, new TextDecoder().decode(bytes)])

it('reads any form that a page sends as the web reads it', async () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  // Pages don't escape a backslash, and for many other clients it escapes what comes behind it: here those are right.
  const named = texts.filter((text) => !text.includes('\\'))
  const file = fc.record({
    bytes: fc.uint8Array({ maxLength: 200 }),
    type: fc.constantFrom('', 'image/png', 'text/plain; charset=utf-8'),
    called: named,
  })
  const value = fc.oneof(fc.string({ unit: codePoint, maxLength: 50 }), file)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(named, value), { minLength: 1, maxLength: 5 }), async (fields) => {
      const form = new FormData()
      for (const [name, one] of fields) {
        if (typeof one === 'string') form.append(name, one)
        else form.append(name, new Blob([one.bytes], { type: one.type }), one.called)
      }
      const sent = new Response(form)
      const type = sent.headers.get('content-type')!
      const bytes = new Uint8Array(await sent.arrayBuffer())
      const web = await new Response(bytes, { headers: { 'content-type': type } }).formData()
      const expected = await Promise.all(
        [...web].map(async ([name, one]) => {
          if (typeof one === 'string') return [name, undefined, one]
          return [name, one.type, new TextDecoder().decode(await one.arrayBuffer())]
        }),
      )
      expect(summary(readParts(bytes, type))).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

it.each([
  ['blanks around a sign', 'Content-Disposition: form-data; name = a', 'a'],
  ['names without quotes', 'Content-Disposition: form-data; name=model', 'model'],
  [
    'other headers in front',
    'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a',
    'a',
  ],
  ['any case', 'CONTENT-DISPOSITION: Form-Data; NAME="a"', 'a'],
  ['signs escaped in either way', 'Content-Disposition: form-data; name="a\\"b%22c"', 'a"b"c'],
])('reads %s', (_what, head, name) => {
  expect(summary(read(`--x y\r\n${head}\r\n\r\nkite\r\n--x y--\r\n`))).toEqual([[name, undefined, 'kite']])
})

it.each([
  ["filename=kite.png; filename*=utf-8''kite.png", 'image/png'],
  ["filename*=UTF-8''k%C3%AFte.png", 'image/png'],
  ['filename=""', undefined],
])('tells by %s whether it is a file', (parameters, fileType) => {
  const head = `Content-Disposition: form-data; name=image; ${parameters}\r\nContent-Type: image/PNG`
  expect(summary(read(`--x y\r\n${head}\r\n\r\nkite\r\n--x y--`))).toEqual([['image', fileType, 'kite']])
})

const kite = 'Content-Disposition: form-data; name="a"\r\n\r\nkite'

it.each([
  ['in front of the first boundary', `note\r\n--x y\r\n${kite}\r\n--x y--`, [['a', undefined, 'kite']]],
  ['behind the last', `--x y\r\n${kite}\r\n--x y--\r\nnote`, [['a', undefined, 'kite']]],
  ['with blanks behind a boundary', `--x y \r\n${kite}\r\n--x y--`, [['a', undefined, 'kite']]],
  ['with bare line ends', `--x y\n${kite.replaceAll('\r', '')}\n--x y--\n`, [['a', undefined, 'kite']]],
  [
    'without content',
    '--x y\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x y--',
    [['a', undefined, '']],
  ],
  ['without a name', '--x y\r\nContent-Disposition: form-data\r\n\r\nkite\r\n--x y--', []],
  ['without headers', '--x y\r\n\r\nkite\r\n--x y--', []],
  ['without parts', '--x y--', []],
  ['that break off', `--x y\r\n${kite}\r\n`, undefined],
  ['that break off in a header', '--x y\r\nContent-Disposition: form-data', undefined],
  ['of another boundary', `--x z\r\n${kite}\r\n--x z--`, undefined],
  ['that are empty', '', undefined],
])('reads forms %s', (_what, text, parts) => {
  expect(summary(read(text))).toEqual(parts)
})

it('finds an end in any bytes', () => {
  const piece = fc.constantFrom(
    '--x y',
    '--',
    '\r\n',
    '\n',
    'Content-Disposition: form-data; name=a',
    ';',
    '"',
    'k',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      read(pieces.join(''))
    }),
    { numRuns: 500 },
  )
})

it('counts the empty fields of an encoded form, too', () => {
  const encoded = (separators: number): unknown =>
    readForm(new TextEncoder().encode('&'.repeat(separators)), 'application/x-www-form-urlencoded')
  expect(encoded(caps.formFields - 1)).toEqual({})
  expect(() => encoded(caps.formFields)).toThrow()
})

it.each(['base64', 'BASE64'])('decodes a part in the transfer encoding %s', (encoding) => {
  const head = `Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: ${encoding}`
  expect(summary(read(`--x y\r\n${head}\r\n\r\na2l0ZQ==\r\n--x y--\r\n`))).toEqual([['a', undefined, 'kite']])
})

const encodedForm = (text: string): unknown =>
  readForm(new TextEncoder().encode(text), 'application/x-www-form-urlencoded; charset=utf-8')

it('reads an encoded form of exactly the largest size, and no larger one', () => {
  const largest = `a=${'x'.repeat(caps.formBytes - 2)}`
  expect(encodedForm(largest)).toEqual({ a: 'x'.repeat(caps.formBytes - 2) })
  expect(() => encodedForm(`${largest}x`)).toThrow('URL-encoded form exceeds 4 MB')
})

it('makes lists of repeated names and of names with brackets', () => {
  expect(encodedForm('a=1&b=2&a=3&c[]=4&d[]=5&d[]=6&a=7&e[]f=8')).toEqual({
    a: ['1', '3', '7'],
    b: '2',
    c: ['4'],
    d: ['5', '6'],
    'e[]f': '8',
  })
})

it('reads exactly as many fields as allowed, empty ones included', () => {
  const fields = (count: number): string => Array.from({ length: count }, () => 'a=1').join('&')
  expect(encodedForm(fields(caps.formFields))).toEqual({ a: Array(caps.formFields).fill('1') })
  expect(() => encodedForm(fields(caps.formFields + 1))).toThrow(
    'Invalid request: a form has at most 1000 fields',
  )
})

it('reads files as data URLs, and texts as they are', () => {
  const part = (head: string, content: string): string =>
    `--x y\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  const form = `${part('name=prompt', 'a kite')}${part('name=image; filename=a', 'kite')}--x y--`
  const fields = readForm(new TextEncoder().encode(form), contentType)
  expect(fields).toEqual({ prompt: 'a kite', image: 'data:text/plain;base64,a2l0ZQ==' })
})

it('reads no other content type as a form, and refuses a form that is incomplete', () => {
  const readAs = (type: string): unknown => readForm(new TextEncoder().encode('--x\r\n'), type)
  expect(readAs('text/plain; boundary=x')).toBeUndefined()
  for (const type of ['multipart/form-data', 'Multipart/Form-Data; boundary=x'])
    expect(() => readAs(type)).toThrow('Invalid request: Invalid request: invalid multipart form')
})

it('reads a form of exactly as many parts as allowed, and no more', () => {
  const form = (parts: number): string => `${`--x y\r\n${kite}\r\n`.repeat(parts)}--x y--`
  expect(read(form(caps.formFields))).toHaveLength(caps.formFields)
  expect(() => read(form(caps.formFields + 1))).toThrow('Invalid request: a form has at most 1000 fields')
})

it('reads headers of exactly the largest size, and no larger ones', () => {
  const start = 'Content-Disposition: form-data; name=a\r\nX-Rest: '
  const part = (bytes: number): string =>
    `--x y\r\n${start}${'x'.repeat(bytes - start.length)}\r\n\r\nkite\r\n`
  expect(read(`${part(maxPartHeaderBytes)}--x y--`)).toHaveLength(1)
  expect(() => read(`${part(maxPartHeaderBytes + 1)}--x y--`)).toThrow(
    'Invalid request: a part of a form has at most 8192 bytes of headers',
  )
  const parts = caps.formHeaderBytes / maxPartHeaderBytes
  expect(read(`${part(maxPartHeaderBytes).repeat(parts)}--x y--`)).toHaveLength(parts)
  expect(() => read(`${part(maxPartHeaderBytes).repeat(parts)}${part(start.length)}--x y--`)).toThrow(
    'Invalid request: the parts of a form have at most 262144 bytes of headers',
  )
})

it.each([
  [maxBoundary, 1],
  [maxBoundary + 1, undefined],
])('reads the parts of a form with a boundary of %i characters: %s', (length, parts) => {
  const boundary = 'b'.repeat(length)
  const form = new TextEncoder().encode(`--${boundary}\r\n${kite}\r\n--${boundary}--`)
  expect(readParts(form, `multipart/form-data; BOUNDARY=${boundary}; x=y`)?.length).toBe(parts)
})

it('names the limit in a hint to a form whose boundary is too long', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const hintFor = async (length: number): Promise<string | null> => {
    const headers = {
      authorization: 'Bearer sk-a',
      'content-type': `multipart/form-data; boundary=${'b'.repeat(length)}`,
    }
    const response = await sim.fetch('/v1/videos', { method: 'POST', headers, body: 'x' })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('invalid multipart form')
    return response.headers.get('x-greenroom-hint')
  }
  expect(await hintFor(71)).toBe('The boundary has 71 characters. Use at most 70.')
  expect(await hintFor(70)).toBeNull()
})

it.each([
  [' '.repeat(998), 1],
  [' '.repeat(999), undefined],
  ['z', undefined],
])('reads a form whose boundary has other characters after it, case %#', (padding, parts) => {
  expect(read(`--x y${padding}\r\n${kite}\r\n--x y--`)?.length).toBe(parts)
})

it('leaves content that is not in its transfer encoding as it is', () => {
  const head = 'Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64'
  expect(summary(read(`--x y\r\n${head}\r\n\r\n***\r\n--x y--\r\n`))).toEqual([['a', undefined, '***']])
  const other = head.replace('base64', '8bit')
  expect(summary(read(`--x y\r\n${other}\r\n\r\na2l0ZQ==\r\n--x y--\r\n`))).toEqual([
    ['a', undefined, 'a2l0ZQ=='],
  ])
})

it.each([
  ['attachment; name=a', []],
  ['form-data ; name=a', ['a']],
  ['form-database; name=a', []],
  ['x-form-data; name=a', []],
  [String.raw`form-data; name="a\\b\"c%0d%0Ad"`, ['a\\b"c\r\nd']],
])('takes the disposition %s for that of the parts %j', (disposition, names) => {
  const parts = read(`--x y\r\nContent-Disposition: ${disposition}\r\n\r\nkite\r\n--x y--`)
  expect(parts?.map(({ name }) => name)).toEqual(names)
})

it('finds a boundary wherever it is in a large form', () => {
  const content = 'x'.repeat(499_950)
  for (const more of ['', 'y'.repeat(40), 'y'.repeat(47), 'y'.repeat(60)]) {
    const form = new TextEncoder().encode(`--x y\r\n${kite}${content}${more}\r\n--x y--`)
    expect(summary(readParts(form, contentType))).toEqual([['a', undefined, `kite${content}${more}`]])
  }
})
