import fc from 'fast-check'
import { expect, it } from 'vitest'
import { alphanumerics, keyedDraws } from '../../src/engine/random/draws.ts'
import { fnv1a, hash128Hex, hashApiKey, mixBits } from '../../src/engine/random/hash.ts'
import { codePoint } from '../support/arbitraries.ts'

it('hashes as MurmurHash3_x86_128 does', () => {
  // The published vectors of the reference implementation, seed 0.
  expect(hash128Hex('')).toBe('00000000000000000000000000000000')
  expect(hash128Hex('The quick brown fox jumps over the lazy dog')).toBe('2f1583c3ecee2c675d7bf66ce5e91d2c')
})

it('gives the same number for the same purpose, subject and count, whatever was drawn before', () => {
  const draws = keyedDraws(7)
  const first = draws.unit('video.queued', 'task-1', 0)
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), (purpose, subject, n) => {
      keyedDraws(7).unit(purpose, subject, n)
      expect(draws.unit('video.queued', 'task-1', 0)).toBe(first)
    }),
  )
})

it('pins its numbers: a change here changes every scenario of every user', () => {
  const draws = keyedDraws(1)
  expect(draws.unit('video.after.queued', 'identity', 0)).toMatchInlineSnapshot(`0.7639792543812135`)
  expect(draws.text(alphanumerics, 32, 'video.id', 'default/identity', 0)).toMatchInlineSnapshot(
    `"ZaMi3ast9fMuvyyi0ouqUfKb58CRMQaM"`,
  )
  expect(draws.integer(1000, 'video.row', 'task', 3)).toMatchInlineSnapshot(`435`)
})

it('draws evenly', () => {
  const draws = keyedDraws('even')
  const count = 20_000
  const buckets = Array.from({ length: 20 }, () => 0)
  for (let n = 0; n < count; n++) buckets[Math.floor(draws.unit('bucket', 'x', n) * 20)]!++
  // 1000 are expected in each; five standard deviations are about 155.
  for (const size of buckets) expect(Math.abs(size - count / 20)).toBeLessThan(155)
})

it('stays in [0, 1) and within the alphabet for any key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: codePoint }), fc.nat(), (seed, subject, n) => {
      const draws = keyedDraws(seed)
      const unit = draws.unit('p', subject, n)
      expect(unit).toBeGreaterThanOrEqual(0)
      expect(unit).toBeLessThan(1)
      expect(draws.text('abc', 40, 'p', subject, n)).toMatch(/^[abc]{40}$/)
    }),
  )
})

it('hashes a secret key once, and no key of a namespace', () => {
  const hashed = hashApiKey('sk-proj-123')
  expect(hashed).toMatch(/^#[0-9a-f]{32}$/)
  expect(['', 'sk-sim-team', hashed].map(hashApiKey)).toEqual(['', 'sk-sim-team', hashed])
})

it('hashes short texts as FNV-1a does, in UTF-16 units', () => {
  // The published vectors of the reference implementation.
  expect(['', 'a', 'foobar'].map(fnv1a)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
  expect([fnv1a('ab'), fnv1a('ba')].map((hash) => hash >= 0)).toEqual([true, true])
})

it('mixes bits as the finalizer of Murmur3 does', () => {
  expect([0, 1, 2 ** 31, 0x12345678].map((hash) => mixBits(hash) >>> 0)).toEqual([
    0, 1_364_076_727, 1_832_674_720, 3_816_608_188,
  ])
})

it('hashes texts of any length as it always did', () => {
  let all = ''
  for (let length = 0; length <= 40; length++)
    all += hash128Hex('é'.repeat(length % 3) + 'abcdefgh'.repeat(5).slice(0, length))
  expect([all, 'x'.repeat(4_096), 'x'.repeat(4_097), '漢'.repeat(2_000)].map(hash128Hex)).toEqual([
    '118ceac7395b307ecc9b8b80bdfbb537',
    '5033490991d8d7d397fcf4a21e62d9cf',
    '16e6cfd41ee813610725baa4efe63974',
    '2d926cfb3f55e85a9d8ba7cdc2317801',
  ])
})

it('draws other words for every seed, purpose, subject and count', () => {
  const wordsOf = (seed: number, ...key: [string, string, number]): string =>
    [...keyedDraws(seed).words(...key)].join()
  const all = [
    wordsOf(1, 'a', 'b', 0),
    wordsOf(2, 'a', 'b', 0),
    wordsOf(1, 'ab', '', 0),
    wordsOf(1, 'a', 'c', 0),
    wordsOf(1, 'a', 'b', 1),
  ]
  expect(new Set(all).size).toBe(5)
  expect([keyedDraws(1).seed, keyedDraws('x').seed]).toEqual(['1', 'x'])
})

it('draws texts of any length, also after longer ones', () => {
  const draws = keyedDraws(1)
  const lengths = [40, 8, 1, 0, 9].map((length) => draws.text('ab', length, 'p', 's', 0).length)
  expect(lengths).toEqual([40, 8, 1, 0, 9])
  expect(draws.text('ab', 9, 'p', 's', 0)).toBe(draws.text('ab', 40, 'p', 's', 0).slice(0, 9))
})
