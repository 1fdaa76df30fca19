import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../src/gateway/bodies/base64.ts'

const decode = (text: string, limitBytes = 10_000_000): Uint8Array | string => decodeBase64(text, limitBytes)

it('decodes any bytes, in either alphabet, with and without padding, prefix and line breaks', () => {
  const shape = fc.record({
    isUrlSafe: fc.boolean(),
    isPadded: fc.boolean(),
    line: fc.constantFrom(0, 1, 76),
  })
  fc.assert(
    fc.property(fc.uint8Array(), shape, fc.boolean(), (bytes, { isUrlSafe, isPadded, line }, isUrl) => {
      fc.pre(bytes.length > 0)
      let text = Buffer.from(bytes).toString('base64')
      if (isUrlSafe) text = text.replaceAll('+', '-').replaceAll('/', '_')
      if (!isPadded) text = text.replace(/=+$/, '')
      if (line > 0) text = text.replace(new RegExp(`.{${line}}`, 'g'), '$&\r\n')
      expect([...(decode(isUrl ? `data:image/png;base64,${text}` : text) as Uint8Array)]).toEqual([...bytes])
    }),
  )
})

it('decodes long texts, with and without line breaks', () => {
  for (const length of [249_998, 250_000, 250_001, 500_003, 1_000_000]) {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => at * 31))
    expect(Buffer.from(decode(bytes.toString('base64')) as Uint8Array).equals(bytes)).toBe(true)
    const wrapped = bytes.toString('base64').replace(/.{76}/g, '$&\n')
    expect(Buffer.from(decode(wrapped) as Uint8Array).equals(bytes)).toBe(true)
  }
})

it.each([
  ['', 'is empty'],
  [' \n ', 'is empty'],
  ['data:image/png,abc', 'is a data URL without ";base64,"'],
  ['AAAAA', 'is not complete base64 image data'],
  ['AA=A', 'is neither an http(s) URL nor base64 image data'],
  ['AAAA===', 'is neither an http(s) URL nor base64 image data'],
  ['AA\u0000A', 'is neither an http(s) URL nor base64 image data'],
  [`${'A'.repeat(249_999)}=A`, 'is neither an http(s) URL nor base64 image data'],
  ['A'.repeat(2_000), 'is larger than 0 MB'],
])('says what is wrong with %j', (text, problem) => {
  expect(decode(text, text.length > 1_000 && text.length < 10_000 ? 100 : undefined)).toBe(problem)
})

it.each([
  ['data:;base64,a2l0ZQ==', 'kite'],
  ['DATA:image/png;BASE64,a2l0ZQ', 'kite'],
  ['data:image/png;name=a;base64,a2l0ZQ', 'kite'],
  ['a2l0 ZQ==\n', 'kite'],
  ['a2l0ZXM', 'kites'],
  ['-_-_', '\xfb\xff\xbf'],
])('decodes %j', (text, content) => {
  expect(Buffer.from(decode(text) as Uint8Array).toString('latin1')).toBe(content)
})

it.each(['data:image/png;base64x,a2l0', 'data:,a2l0', 'data:image/png', 'data:;base64', 'Data:base64,a2l0'])(
  'decodes no data URL such as %j',
  (text) => {
    expect(decode(text)).toBe('is a data URL without ";base64,"')
  },
)

it('takes base64 up to 1.4 times the limit, and names the limit', () => {
  expect(decode('AAAA'.repeat(35), 100)).toHaveLength(105)
  expect(decode(`${'AAAA'.repeat(35)}A`, 100)).toBe('is larger than 0 MB')
  expect(decode('A'.repeat(3_000_000), 1_600_000)).toBe('is larger than 1.53 MB')
})

it('takes padding at the end only', () => {
  const whole = 'A'.repeat(249_998)
  expect(decode(`${whole}==`)).toHaveLength((249_998 * 3 - 2) / 4)
  expect(decode(`${whole}AA`)).toHaveLength(187_500)
  expect(decode(`${whole}==\n`)).toHaveLength((249_998 * 3 - 2) / 4)
  expect(decode(`${whole}===`)).toBe('is neither an http(s) URL nor base64 image data')
  expect(decode(`${whole}==A`)).toBe('is neither an http(s) URL nor base64 image data')
})

it('encodes a part of a buffer, and bytes without Node as with it', () => {
  const bytes = new Uint8Array([0, 107, 105, 116, 101, 0]).subarray(1, 5)
  expect(encodeBase64(bytes)).toBe('a2l0ZQ==')
})
