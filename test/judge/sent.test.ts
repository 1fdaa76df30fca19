import { expect, it } from 'vitest'
import { createSimulator, type Expect } from '../../src/index.ts'
import type { Result } from '../../src/judge/verdict.ts'

type RequestExpectation = NonNullable<Expect['requests']>[number]

const url = 'https://gateway.example'
const secret = 'sk-very-secret-key-1234567890'

interface Sent {
  body?: string
  query?: string
  headers?: Record<string, string>
}

const video = (prompt: string): Sent => ({ body: JSON.stringify({ model: 'video-1', prompt }) })

async function judge(wanted: Partial<RequestExpectation>, requests: readonly Sent[]): Promise<Result> {
  const scenario = { version: 1 as const, expect: { requests: [{ op: 'video.submit', ...wanted }] } }
  await using sim = createSimulator({ scenario })
  for (const { body = '', query = '', headers = {} } of requests) {
    await sim.fetch(`${url}/v1/video/generations${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body,
    })
  }
  const { results } = await sim.verdict()
  expect(JSON.stringify(results)).not.toContain(secret)
  return results[0]!
}

it.each<[Partial<RequestExpectation>, 'pass' | 'fail']>([
  [{ body: { prompt: 'a red kite' } }, 'pass'],
  [{ body: { prompt: { contains: 'kite' }, model: { glob: 'video-*' } } }, 'pass'],
  [{ body: { prompt: { regex: '^a \\w+ kite$' } } }, 'pass'],
  [{ body: { prompt: 'a blue kite' } }, 'fail'],
  [{ body: { prompt: { regex: 'blue' } } }, 'fail'],
  [{ body: { seed: { exists: true } } }, 'fail'],
  [{ body: { seed: { exists: false } } }, 'pass'],
  [{ headers: { 'X-Trace': 'on' } }, 'pass'],
  [{ headers: { 'x-trace': 'off' } }, 'fail'],
  [{ headers: { authorization: `Bearer ${secret}` } }, 'pass'],
  [{ headers: { authorization: { contains: 'another' } } }, 'fail'],
  [{ query: { page: '2' } }, 'pass'],
  [{ query: { page: '3' } }, 'fail'],
  [{ body: { prompt: 'a red kite' }, query: { page: '3' } }, 'fail'],
  [{ body: { prompt: 'a blue kite' }, count: 0 }, 'pass'],
  [{ body: { prompt: 'a red kite' }, count: 0 }, 'fail'],
])('compares what a client sent with %o', async (wanted, verdict) => {
  const sent = { ...video('a red kite'), query: '?page=2', headers: { 'x-trace': 'on' } }
  expect((await judge(wanted, [sent])).verdict).toBe(verdict)
})

it('compares each request, or the one that is named', async () => {
  const requests = [video('a red kite'), video('a boat')]
  const body = { prompt: { contains: 'kite' } }
  expect(await judge({ body }, requests)).toMatchObject({ verdict: 'pass' })
  expect(await judge({ body, each: true }, requests)).toMatchObject({
    verdict: 'fail',
    actual: '1 of 2 did not match; #2: prompt of the body is another',
    requests: [2],
  })
  expect(await judge({ body, nth: 1 }, requests)).toMatchObject({ verdict: 'pass' })
  const second = await judge({ body, nth: 2 }, requests)
  expect(second.verdict).toBe('fail')
  expect(second.actual).toMatch(/; prompt of the body is another$/)
  expect(second.expected).toContain('sent as expected: body prompt')
})

it('does not treat fields of an unreadable body as missing', async () => {
  const found = await judge({ body: { seed: { exists: false } } }, [{ body: '{"prompt":' }])
  expect(found).toMatchObject({ verdict: 'fail', actual: '0 of 1; #1: the body could not be read' })
})

it('fails for requests from before the watch, whose content is unknown', async () => {
  await using sim = createSimulator()
  const submit = (): Promise<Response> =>
    sim.fetch(`${url}/v1/video/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: video('a red kite').body!,
    })
  await submit()
  const wanted: Expect = { requests: [{ op: 'video.submit', body: { prompt: 'a boat' }, count: 0 }] }
  using late = sim.watch(wanted)
  const { results } = await late.verdict()
  expect(results[0]).toMatchObject({
    verdict: 'fail',
    actual: '1 came before the watch, so what they sent is unknown',
    requests: [1],
  })
})

it('rejects an invalid path', async () => {
  await using sim = createSimulator()
  expect(() => sim.watch({ requests: [{ op: 'video.submit', body: { 'a[': 'x' } }] })).toThrow(
    'not a path into a body',
  )
})

it.each<[unknown, string]>([
  [{ containz: 'kite' }, 'contains'],
  [{}, 'is {}: needs one of equals, glob'],
  [{ not: {} }, 'is {}: needs one of equals, glob'],
  [{ regex: 7 }, 'a text'],
])('refuses a value match that compares nothing: %o', async (match, found) => {
  await using sim = createSimulator()
  const wanted = { requests: [{ op: 'video.submit', body: { prompt: match } }] } as Expect
  expect(() => sim.watch(wanted)).toThrow(found)
})

it('throws for a regular expression that can not be read, and lets the request pass', async () => {
  const wanted = { body: { prompt: { regex: '(' } }, count: 0 }
  await expect(judge(wanted, [video('a red kite')])).rejects.toThrow('(')
})
