import { expect, it } from 'vitest'
import { readTarget } from '../../src/gateway/request.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { createSimulator } from '../../src/index.ts'
import {
  allowsModel,
  Callers,
  credentialOf,
  hasExpired,
  KeyRing,
  labelKey,
  maskKey,
  maxKeyLength,
  namespaceOfKey,
} from '../../src/gateway/accounts/keys.ts'

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
  const some = new KeyRing(['sk-right', ''])
  expect(opened(some, 'sk-right', 'sk-wrong', 'sk-sim-alice', '')).toEqual([true, false, true, false])
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

it('reads a key from another header, without blanks', () => {
  const headers = { 'x-api-key': '  sk-a ', authorization: 'Basic Bearer sk-b' }
  expect(credentialOf({ headers }, 'x-api-key')).toBe('sk-a')
  expect(credentialOf({ headers })).toBe('Basic Bearer sk-b')
})

it('lets in keys of exactly the largest length, and no longer ones', () => {
  const longest = `sk-${'x'.repeat(maxKeyLength - 3)}`
  expect(new KeyRing([]).find(longest)).toEqual({ key: '' })
  expect(new KeyRing([]).find(`${longest}x`)).toBeUndefined()
  expect(new KeyRing([`${longest}x`]).find(`${longest}x`)).toBeUndefined()
})

it('lets in the keys of an API with a form of its own, and its default key', () => {
  const like = /^own-\d+$/
  const opened = (ring: KeyRing): boolean[] =>
    ['own-1', 'own-a', 'sk-x', 'sk-greenroom', 'sk-sim-a'].map(
      (key) => ring.find(key, { like }) !== undefined,
    )
  expect(opened(new KeyRing([]))).toEqual([true, false, false, true, true])
  expect(opened(new KeyRing(['sk-x']))).toEqual([false, false, true, false, true])
})

const usual = 'in the header Authorization: Bearer KEY.'
const own = { like: /^own-/, place: 'the header x-own' }

it.each([
  [[], '', undefined, `The request has no key. Send any key that starts with sk- ${usual}`],
  [['sk-a'], '', undefined, `The request has no key. Send a configured key ${usual}`],
  [[], '', own, 'The request has no key. Send any key that matches /^own-/ in the header x-own.'],
  [['sk-a'], '', own, 'The request has no key. Send a configured key in the header x-own.'],
  [[], 'x'.repeat(maxKeyLength + 1), undefined, 'The key is longer than 512 characters.'],
  [
    [],
    'x'.repeat(maxKeyLength),
    undefined,
    'The key must start with sk-, such as sk-test. Without configured keys, any such key works.',
  ],
  [[], 'x', own, 'The key must match /^own-/. Without configured keys, any such key works.'],
  [
    ['sk-a'],
    'x',
    own,
    'Use one of the configured keys (option keys, flag --keys) that is neither expired nor revoked.',
  ],
])('advises the sender of an invalid key, case %#', (keys, sent, form, advice) => {
  expect(new KeyRing(keys).adviceFor(sent, form)).toBe(advice)
  expect(new Callers(keys, keyedDraws(1), { strict: false }).adviceFor(sent, form)).toBe(advice)
})

it('masks keys from twelve characters on in the middle', () => {
  expect(['12345678901', '123456789012'].map(maskKey)).toEqual(['123…', '12345…12'])
  const longest = labelKey(`sk-sim-${'x'.repeat(200)}`, keyedDraws(1))
  expect([longest.masked, longest.hash]).toEqual([
    `sk-sim-${'x'.repeat(93)}`,
    expect.stringMatching(/^[A-Za-z0-9]{12}$/),
  ])
})

it.each([
  ['sk-sim-alice', 'alice'],
  ['sk-sim-alice.worker.2', 'alice'],
  ['sk-sim-', ''],
  ['sk-sim-.a', ''],
  ['sk-other', undefined],
])('reads the namespace of the key %s', (key, namespace) => {
  expect(namespaceOfKey(key)).toBe(namespace)
})

it.each([
  [undefined, 9_999_999, false],
  [1_000, 999, false],
  [1_000, 1_000, true],
  ['1970-01-01T00:00:01Z', 999, false],
  ['1970-01-01T00:00:01Z', 1_000, true],
])('says whether a key that expires at %s has expired at %i', (expires, now, isOver) => {
  expect(hasExpired({ key: 'sk-a', ...(expires !== undefined && { expires }) }, { now: () => now })).toBe(
    isOver,
  )
})

it.each([
  [undefined, 'video-1', true],
  [['text-*', 'video-1'], 'video-1', true],
  [['text-*', 'video-1'], 'text-2', true],
  [['text-*', 'video-1'], 'video-2', false],
  [['text-*'], undefined, true],
  [[], 'video-1', false],
])('allows a key for %j the model %s: %s', (models, model, isAllowed) => {
  expect(allowsModel({ key: 'sk-a', ...(models && { models }) }, model)).toBe(isAllowed)
})

it('finds each caller once, and for each form of keys apart', () => {
  const callers = new Callers(
    ['sk-a', { key: 'sk-b', namespace: 'of-b' }, { key: 'sk-sim-c', namespace: '' }],
    keyedDraws(1),
    { strict: true },
  )
  const found = callers.get('sk-b', undefined)
  expect(callers.get('sk-b', undefined)).toBe(found)
  expect(callers.get('sk-b', { like: /^own-/ })).not.toBe(found)
  expect(found).toMatchObject({ credential: 'sk-b', namespace: 'of-b', key: { key: 'sk-b' } })
  expect(callers.get('sk-sim-c', undefined).namespace).toBe('c')
  expect(callers.get('sk-sim-d', undefined)).toMatchObject({ namespace: 'd', key: undefined })
  const [longest, longer] = ['x'.repeat(maxKeyLength), 'x'.repeat(maxKeyLength + 1)]
  expect(callers.get(longest, undefined)).toBe(callers.get(longest, undefined))
  expect(callers.get(longer, undefined)).not.toBe(callers.get(longer, undefined))
})

it.each([
  ['sk-a', 'The key was sent without its scheme. Write Authorization: Bearer KEY.'],
  ['Bearer sk-a', null],
])('says in a header that %j has no scheme, and accepts it', async (authorization, hint) => {
  const sim = createSimulator({ cacheDir: false })
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
  const response = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
  expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([200, hint])
})

it.each(['Token sk-a', 'Key: sk-a'])('says which word is wrong in %j', async (authorization) => {
  const response = await createSimulator().fetch('/v1/video/generations/task_x', {
    headers: { authorization },
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('x-greenroom-hint')).toBe(
    `The key follows the word ${/\w+/.exec(authorization)}. Write Authorization: Bearer KEY.`,
  )
})
