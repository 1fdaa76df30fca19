import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { dateHeaders, isLeftToServer } from '../../src/gateway/replies/headers.ts'
import { hintHeader } from '../../src/gateway/replies/reply.ts'

it('lets any page call the gateway', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const preflight = await sim.fetch('http://gateway.test/v1/models', {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example' },
  })
  expect([preflight.status, await preflight.text()]).toEqual([204, ''])
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET,POST,PUT,DELETE,OPTIONS',
    'access-control-allow-headers': '*, Authorization',
  })
})

it('adds the headers for pages only to requests of pages, unless a rule sets them', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const allowed = async (headers: Record<string, string>): Promise<string | null> => {
    const response = await sim.fetch('http://gateway.test/v1/models', {
      headers: { authorization: 'Bearer sk-test', ...headers },
    })
    return response.headers.get('access-control-allow-origin')
  }
  expect(await allowed({})).toBe(null)
  expect(await allowed({ origin: 'https://page.example' })).toBe('*')
  sim.addRule({
    match: { op: 'models.list' },
    respond: { headers: { 'access-control-allow-origin': 'https://only.example' } },
  })
  expect(await allowed({ origin: 'https://page.example' })).toBe('https://only.example')
})

it.each([
  ['Connection', 'keep-alive', true],
  ['connection', 'disclose', true],
  ['Connection', 'Close', false],
  ['Connection', 'upgrade, close', false],
  ['X-Connection', 'keep-alive', false],
])('leaves the header %s: %s to the server: %s', (name, value, isLeft) => {
  expect(isLeftToServer(name, value)).toBe(isLeft)
})

it('formats each instant as its second', () => {
  const format = dateHeaders()
  expect([0, 999, 1_000, 0].map(format)).toEqual([
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:01 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ])
})

it('limits a hint to what a header may hold', () => {
  expect(hintHeader('Prüfe “das” ~\n')).toEqual({ 'X-Greenroom-Hint': 'Pr?fe ?das? ~?' })
  expect(hintHeader('x'.repeat(501))).toEqual({ 'X-Greenroom-Hint': 'x'.repeat(500) })
})
