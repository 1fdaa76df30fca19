import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashBytes, hexDigestOf, hexDigestOfText } from '../../src/media/cache/digest.ts'

const nodes = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

it('gives the SHA-256 of the standard', async () => {
  expect(hexDigestOfText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await hexDigestOf(bytes)).toBe(nodes(bytes))
    }),
  )
})

it('takes a text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(hexDigestOfText(text)).toBe(nodes(text))
    }),
  )
})

it('digests by itself where a page has no crypto.subtle', async () => {
  const { crypto } = globalThis
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
  try {
    expect(await hexDigestOf(new Uint8Array(1000))).toBe(nodes(new Uint8Array(1000)))
    expect(await hashBytes(new Uint8Array(0))).toHaveLength(32)
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true })
  }
})
