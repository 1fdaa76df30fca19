import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestOf, hexDigestOf } from '../../src/media/cache/digest.ts'
import { hexOf, sha256, sha256OfText } from '../../src/media/cache/sha256.ts'

const nodes = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

it('gives the SHA-256 that everybody gives', async () => {
  expect(hexOf(sha256OfText('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(hexOf(sha256(bytes))).toBe(nodes(bytes))
      expect(await hexDigestOf(bytes)).toBe(nodes(bytes))
    }),
  )
})

it('takes a text as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(hexOf(sha256OfText(text))).toBe(nodes(text))
    }),
  )
})

it('digests by itself where a page has no crypto.subtle', async () => {
  const { crypto } = globalThis
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
  try {
    expect(hexOf(await digestOf(new Uint8Array(1000)))).toBe(nodes(new Uint8Array(1000)))
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true })
  }
})
