import { expect, it } from 'vitest'
import { runFixture } from './run-fixture.ts'

it('warns of a test that forgets an await, and of no other', { timeout: 120_000 }, async () => {
  const { failures, printed } = await runFixture('unfinished')
  expect(failures).toEqual({
    'forgets to wait': '',
    waits: '',
    'forgets to wait for a function that waits': '',
    'forgets to wait for its exploration': '',
    'comes next, and waits': '',
  })
  const warnings = [...printed.matchAll(/^greenroom: .*$/gm)].map(([line]) => line)
  expect(warnings).toEqual([
    expect.stringMatching(
      /^greenroom: the test "forgets to wait" ended while the client was at work \((?:#\d+ GET \/v1\/models, .*|it sleeps on gateway\.clock)\): is an await missing\?$/,
    ),
    'greenroom: the test "forgets to wait for a function that waits" ended before gateway.idle() had resolved: ' +
      'write await before it, and before each call of a function that calls it.',
    'greenroom: the test "forgets to wait for its exploration" ended before gateway.explore() had resolved: ' +
      'write await before it, and before each call of a function that calls it.',
  ])
})
