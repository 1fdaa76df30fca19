import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'
import { maxFields, readForm, readParts, type FormPart } from '../../src/gateway/bodies/form.ts'
import { codePoint } from '../support/arbitraries.ts'

const contentType = 'multipart/form-data; boundary="x y"'
const read = (text: string): FormPart[] | undefined =>
  runAtOnce(readParts(new TextEncoder().encode(text), contentType))
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
      expect(summary(runAtOnce(readParts(bytes, type)))).toEqual(expected)
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
    runAtOnce(readForm(new TextEncoder().encode('&'.repeat(separators)), 'application/x-www-form-urlencoded'))
  expect(encoded(maxFields - 1)).toEqual({})
  expect(() => encoded(maxFields)).toThrow()
})

it.each(['base64', 'BASE64'])('decodes a part in the transfer encoding %s', (encoding) => {
  const head = `Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: ${encoding}`
  expect(summary(read(`--x y\r\n${head}\r\n\r\na2l0ZQ==\r\n--x y--\r\n`))).toEqual([['a', undefined, 'kite']])
})
