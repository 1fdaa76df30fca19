import { expect, it } from 'vitest'
import { readTarget } from '../../src/gateway/request.ts'
import { createSimulator } from '../../src/index.ts'
import { credentialOf, KeyRing, maskKey } from '../../src/gateway/accounts/keys.ts'

const credential = (headers: Record<string, string>): string => credentialOf({ headers })

it.each([
  [{ authorization: 'Bearer sk-a' }, 'sk-a'],
  [{ authorization: 'bearer sk-a' }, 'sk-a'],
  [{ authorization: 'sk-a' }, 'sk-a'],
  [{}, ''],
])('reads the key of %j', (headers, expected) => {
  expect(credential(headers as Record<string, string>)).toBe(expected)
})

it('lets every key in that starts with sk-, unless keys are configured', () => {
  const opened = (ring: KeyRing, ...keys: string[]): boolean[] =>
    keys.map((key) => ring.find(key) !== undefined)
  expect(opened(new KeyRing([]), 'sk-x', 'sk-', 'pk-x', '')).toEqual([true, false, false, false])
  const some = new KeyRing(['sk-right', { key: 'sk-gone', revoked: true }, ''])
  expect(opened(some, 'sk-right', 'sk-gone', 'sk-wrong', 'sk-sim-alice', '')).toEqual([
    true,
    false,
    false,
    true,
    false,
  ])
  expect(opened(new KeyRing(['sk-right'], { strict: true }), 'sk-right', 'sk-sim-alice')).toEqual([
    true,
    false,
  ])
})

it('lets every key in when no keys are configured, strict or not', () => {
  const open = new KeyRing([], { strict: true })
  expect(['sk-x', 'sk-sim-alice', 'pk-x'].map((key) => open.find(key) !== undefined)).toEqual([
    true,
    true,
    false,
  ])
})

it('shows enough of a key to tell two apart, and no more', () => {
  expect(['', 'sk-short', 'sk-0123456789', 'sk-sim-alice', 'x'].map(maskKey)).toEqual([
    '',
    'sk-…',
    'sk-01…89',
    'sk-sim-alice',
    'x…',
  ])
})

it.each([
  ['/v1/x?a=1', { path: '/v1/x', query: 'a=1', basePath: '' }],
  ['/ns/alice/v1/x', { path: '/v1/x', basePath: '/ns/alice', namespace: 'alice' }],
  ['/ns/alice', { path: '/', basePath: '/ns/alice', namespace: 'alice' }],
  ['http://gateway.example/v1/x?q', { path: '/v1/x', query: 'q' }],
  ['/v1/x#part', { path: '/v1/x', query: '' }],
  ['/v1/x#part?a=1', { path: '/v1/x', query: '' }],
  ['/v1/x?a=1#part', { path: '/v1/x' }],
  ['/nsx/alice', { path: '/nsx/alice', basePath: '' }],
])('splits the target %s', (target, expected) => {
  expect(readTarget(target)).toMatchObject(expected)
})

it('takes the first namespace that is named: base path, header, key, default', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const send = async (path: string, header: string, key: string): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, ...(header && { 'x-greenroom-namespace': header }) }
    const response = await sim.fetch(path, { headers })
    return response.ok ? response.headers.get('x-greenroom-exchange')!.split('/')[0]! : response.text()
  }
  expect(await send('/ns/path/v1/models', 'header', 'sk-sim-key')).toBe('path')
  expect(await send('/v1/models', 'header', 'sk-sim-key')).toBe('header')
  expect(await send('/v1/models', '', 'sk-sim-key.second')).toBe('key')
  expect(await send('/v1/models', '', 'sk-other')).toBe('default')
})

it('names the namespace that it refuses, and what names it', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const send = async (path: string, headers: Record<string, string>): Promise<string> => {
    const response = await sim.fetch(path, { headers: { authorization: 'Bearer sk-other', ...headers } })
    const { error } = (await response.json()) as { error: { message: string } }
    return error.message
  }
  const named = (source: string, value: string): string =>
    `Invalid request: ${source} names the namespace "${value}", but a namespace is 1 to 64 letters`
  expect(await send('/v1/models', { authorization: 'Bearer sk-sim-a b' })).toContain(named('the key', 'a b'))
  expect(await send('/v1/models', { 'x-greenroom-namespace': 'bad name!' })).toContain(
    named('x-greenroom-namespace', 'bad name!'),
  )
  expect(await send('/ns/a%20b/v1/models', {})).toContain(named('the path', 'a%20b'))
  expect(await send('/v1/models', { 'x-greenroom-namespace': 'a'.repeat(200) })).toContain(
    named('x-greenroom-namespace', 'a'.repeat(64)),
  )
})
