import fc from 'fast-check'
import { expect, it } from 'vitest'
import { controlRoutes } from '../../src/control/control.ts'
import { openWatched, runs, seed } from './open.ts'
import { expectSound } from './sound.ts'

/** Values near what calls take, and far from it. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    '5s',
    '1h',
    '99999999d',
    '-1s',
    '0',
    0,
    1e300,
    -1,
    null,
    true,
    'auto',
    'manual',
    'scaled',
    'host',
    'SUCCESS',
    'worker-a',
    '\0',
    'x'.repeat(10_000),
    '9999-12-31T23:59:59Z',
    '__proto__',
    'video.poll',
    'hold_1',
    { task: 'task_x', status: 'SUCCESS' },
    { op: 'video.poll' },
    { regex: '(a+)+$' },
    { regex: '(?=a)' },
    { lognormal: { p50: '1s', p95: '0s' } },
    { uniform: ['9s', '1s'] },
    [429, 'reset', 'ok'],
    [[[]]],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

const fields = [
  'by',
  'to',
  'until',
  'for',
  'as',
  'mode',
  'rate',
  'status',
  'reason',
  'op',
  'id',
  'match',
  'attempts',
  'times',
  'chance',
  'delay',
  'fault',
  'respond',
  'task',
  'stream',
  'media',
  'when',
  'set',
  'on',
  'per',
  '__proto__',
]

const call = fc.record({
  route: fc.constantFrom(...controlRoutes),
  param: fc.constantFrom('1', 'hold_1', 'next-1', 'added-1', 'flaky', '%00', '%ff', '..', '0', '99999999999'),
  query: fc.constantFrom('', '?namespace=a', '?namespace=%00', '?last=0', '?last=-1', '?status=x', '?a&b&c'),
  body: fc.oneof(
    fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 4 }).map((body) => JSON.stringify(body)),
    fc.constantFrom(
      '',
      '[]',
      '1',
      '{',
      '\uffff',
      `{"by":1e999}`,
      `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
    ),
  ),
})

it('answers any control call soundly, and goes on', { timeout: runs(60_000) }, async () => {
  await using server = await openWatched({ limits: { namespaces: 5 } })
  const ask = async ({
    route,
    param,
    query,
    body,
  }: typeof call extends fc.Arbitrary<infer T> ? T : never) => {
    const { methods, path } = route
    const target = path.replace(/\{\w+\}/, param) + query
    const method = methods[0]!
    const request = `${method} ${target} ${body}`
    // Who sleeps for years of a clock that stands still is one who leaves.
    const signal = AbortSignal.timeout(path.endsWith('/sleep') ? 300 : 20_000)
    const init = { method, signal, ...(method === 'GET' ? {} : { body }) }
    const response = await fetch(server.url + target, init).catch((error: Error) => {
      expect([error.name, path], request).toEqual(['TimeoutError', '/_greenroom/clock/sleep'])
    })
    if (!response) return
    const type = response.headers.get('content-type') ?? ''
    // The event stream has no end.
    if (type.startsWith('text/event-stream')) return response.body!.cancel()
    expectSound({ status: response.status, type, text: await response.text() }, request)
    expect(
      server.mistakes.filter((message) => !message.startsWith('Time stands still')),
      request,
    ).toEqual([])
  }
  const many = fc.array(call, { minLength: 12, maxLength: 12 })
  const atOnce = fc.asyncProperty(many, async (calls) => void (await Promise.all(calls.map(ask))))
  await fc.assert(atOnce, { numRuns: runs(20), seed, endOnFailure: true })
  await expect.poll(() => server.sim.clock.status().waiters).toBe(0)
})
