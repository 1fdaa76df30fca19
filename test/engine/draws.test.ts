import fc from 'fast-check'
import { expect, it } from 'vitest'
import { alphanumerics, keyedDraws } from '../../src/engine/random/draws.ts'
import { hash128Hex, hashApiKey } from '../../src/engine/random/hash.ts'
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
