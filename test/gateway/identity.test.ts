import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseJson } from '../../src/gateway/bodies/json.ts'
import { identityOf } from '../../src/gateway/identity.ts'
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

it('refuses a body too deep to be walked', () => {
  const deep = new TextEncoder().encode(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
  expect(() => parseJson(deep)).toThrow('invalid JSON request body')
})

it.each(['[]', 'null', '"text"', '5', '', '{', '{"a":1}x', '\xff'])('refuses the JSON body %j', (text) => {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  expect(() => parseJson(bytes)).toThrow('invalid JSON request body')
})

it('keeps its value from one version to the next', () => {
  expect([
    identityOf('chat.complete', { b: [1, 'two', null, [], {}], a: { d: true, c: -1.5 } }),
    identityOf('chat.complete', {}),
    identityOf('text.generate', { nonce: 1, a: 'x' }, ['nonce'], { field: '/path', value: 'one' }),
  ]).toEqual([
    '125e90ac89aa25820bb2c7fa9a0ffb50',
    '91ac152a56aca5731716e47e215fbeeb',
    '311630b466f30299ffa8ca8c2240f912',
  ])
})

it('counts the name in the path, and the field of the same name not at all', () => {
  const named = (body: JsonObject, value: string): string =>
    identityOf('text.generate', body, [], { field: 'model', value })
  expect(named({ model: 'a' }, 'b')).toBe(named({}, 'b'))
  expect(named({ model: 'a' }, 'b')).not.toBe(named({ model: 'a' }, 'a'))
})
