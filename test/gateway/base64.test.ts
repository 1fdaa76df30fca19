import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBase64 } from '../../src/gateway/bodies/base64.ts'
import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'

const decode = (text: string, limitBytes = 10_000_000): Uint8Array | string =>
  runAtOnce(decodeBase64(text, limitBytes))

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

it('decodes what is longer than one step, wherever its pieces end', () => {
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
