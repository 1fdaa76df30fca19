import { expect, it } from 'vitest'
import { namespaceOf, readAddress } from '../../src/gateway/bodies/address.ts'
import { credentialOf, KeyRing, maskKey } from '../../src/gateway/accounts/keys.ts'
import type { Incoming } from '../../src/gateway/incoming.ts'

const credential = (headers: Record<string, string>): string => credentialOf({ headers })

it.each([
  [{ authorization: 'Bearer sk-a' }, 'sk-a'],
  [{ authorization: 'bearer sk-a' }, 'sk-a'],
  [{ authorization: 'sk-a' }, 'sk-a'],
  [{ 'mj-api-secret': 'Bearer sk-b' }, 'sk-b'],
  [{ authorization: 'Bearer midjourney-proxy', 'mj-api-secret': 'sk-b' }, 'sk-b'],
  [{ authorization: 'sk-a', 'mj-api-secret': 'sk-b' }, 'sk-a'],
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
  ['/nsx/alice', { path: '/nsx/alice', basePath: '' }],
])('splits the target %s', (target, expected) => {
  expect(readAddress(target)).toMatchObject(expected)
})

it('takes the first namespace that is named: base path, header, key, default', () => {
  const named = (target: string, header: string, key: string): string | null | undefined => {
    const headers = header === '' ? {} : { 'x-greenroom-namespace': header }
    const incoming = { headers } as unknown as Incoming
    return namespaceOf(readAddress(target), incoming, key)
  }
  expect(named('/ns/path/x', 'header', 'sk-sim-key')).toBe('path')
  expect(named('/x', 'header', 'sk-sim-key')).toBe('header')
  expect(named('/x', '', 'sk-sim-key.second')).toBe('key')
  expect(named('/x', '', 'sk-other')).toBeUndefined()
  expect(named('/x', '', 'sk-sim-ünï')).toBeNull()
  expect(named('/ns/a%20b/x', '', '')).toBeNull()
})
