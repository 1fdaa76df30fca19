import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runAtOnce } from '../../src/engine/clock/timers/steps.ts'
import { parseJson } from '../../src/gateway/bodies/json.ts'
import { identityOf, hashLongTexts } from '../../src/gateway/identity.ts'
import type { JsonObject } from '../../src/gateway/bodies/json.ts'

it('is the same for the same fields in any order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
      const fields = JSON.parse(JSON.stringify(body)) as Record<string, never>
      const turned = Object.fromEntries(Object.entries(fields).toReversed())
      expect(identityOf('video.submit', turned)).toBe(identityOf('video.submit', fields))
    }),
  )
})

it('differs by operation and by any field that means something', () => {
  const body = { prompt: 'a kite', nonce: 1 }
  const same = identityOf('video.submit', body, ['nonce'])
  expect(identityOf('video.submit', { ...body, nonce: 2 }, ['nonce'])).toBe(same)
  expect(identityOf('video.submit', { ...body, prompt: 'a boat' }, ['nonce'])).not.toBe(same)
  expect(identityOf('videos.create', body, ['nonce'])).not.toBe(same)
})

it('is the same whether the path names something or a field says it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', '/path', 'z'), fc.jsonValue()), (body) => {
      const fields = JSON.parse(JSON.stringify(body)) as JsonObject
      const named = { field: '/path', value: 'one' }
      const whole = { ...fields, '/path': 'one' }
      expect(identityOf('text.generate', fields, ['b'], named)).toBe(
        identityOf('text.generate', whole, ['b']),
      )
    }),
  )
})

it('puts many fields in order as it does a few', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 10, maxLength: 25 }), (names) => {
      const fields = Object.fromEntries(names.map((name) => [name, 1]))
      const sorted = Object.fromEntries(names.toSorted().map((name) => [name, 1]))
      expect(identityOf('chat.complete', fields)).toBe(identityOf('chat.complete', sorted))
    }),
  )
})

it('puts the hash of a text longer than 256 KiB in its place', () => {
  const short = (text: string): unknown => runAtOnce(hashLongTexts({ input: [{ text }] }))
  const longest = 'x'.repeat(256 * 1024)
  expect(short(longest)).toEqual({ input: [{ text: longest }] })
  expect(short(`${longest}x`)).toEqual({
    input: [{ text: expect.stringMatching(/^hash:[0-9a-f]{32}$/) as unknown }],
  })
  expect(short(`${longest}x`)).not.toEqual(short(`${longest}y`))
})

it('refuses a body too deep to be walked', () => {
  const deep = new TextEncoder().encode(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  expect(() => parseJson(deep)).toThrow('invalid JSON request body')
})

it.each(['[]', 'null', '"text"', '5', '', '{', '{"a":1}x', '\xff'])('refuses the JSON body %j', (text) => {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  expect(() => parseJson(bytes)).toThrow('invalid JSON request body')
})
