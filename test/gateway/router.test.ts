import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Router } from '../../src/gateway/router.ts'

const router = new Router([
  { methods: ['GET'], path: '/v1/tasks/{id}' },
  { methods: ['GET', 'HEAD'], path: '/v1/tasks/{id}/content' },
  { methods: ['POST'], path: '/v1/tasks' },
  { methods: ['GET'], path: '/v1/tasks/all' },
])

it('finds a route with the parts of the path it names', () => {
  expect(router.find('GET', '/v1/tasks/a%20b')).toMatchObject({ params: { id: 'a b' } })
  expect(router.find('HEAD', '/v1/tasks/1/content')?.route.path).toBe('/v1/tasks/{id}/content')
  expect(router.find('GET', '/v1/tasks/all')?.route.path).toBe('/v1/tasks/all')
})

it.each([
  '',
  '/',
  '//',
  '/v1',
  '/v1/tasks/',
  '/v1/tasks//content',
  '/v1/tasks/1/2/3',
  'v1/tasks',
  '/V1/tasks',
])('serves nothing under %j', (path) => {
  expect(router.find('GET', path)).toBeUndefined()
})

/** A part of a path, as it is or percent-encoded. */
const part = fc
  .oneof(fc.constantFrom('v1', 'tasks', 'content', '..'), fc.string().map(encodeURIComponent), fc.string())
  .map((text) => `/${text}`)

it('takes any path without failing, and names only what is in it', () => {
  fc.assert(
    fc.property(fc.array(part), fc.string(), (parts, rest) => {
      const found = router.find('GET', parts.join('') + rest)
      for (const value of Object.values(found?.params ?? {})) expect(typeof value).toBe('string')
    }),
  )
  expect(router.find('GET', '/v1/tasks/%E0%A4%A')?.params).toEqual({ id: '%E0%A4%A' })
  expect(router.find('GET', '/v1/tasks/__proto__')?.params).toEqual({ id: '__proto__' })
})

it('says which methods a path takes', () => {
  expect(router.methodsOf('/v1/tasks/1/content')).toEqual(['GET', 'HEAD'])
  expect(router.methodsOf('/nowhere')).toEqual([])
})

it('refuses the same route twice', () => {
  const route = { methods: ['GET'], path: '/a' }
  expect(() => new Router([route, route])).toThrow('Failed to add GET /a: it is there already.')
})

it('tells verbs behind a colon apart, encoded or not, and lets names have colons', () => {
  const verbs = new Router([
    { methods: ['POST'], path: '/models/{model}:generate' },
    { methods: ['POST'], path: '/models/{model}:count' },
    { methods: ['GET'], path: '/models/{model}' },
  ])
  const found = (method: string, path: string): unknown => {
    const match = verbs.find(method, path)
    return match && [match.route.path, match.params]
  }
  expect(found('POST', '/models/x-1.5:generate')).toEqual(['/models/{model}:generate', { model: 'x-1.5' }])
  expect(found('POST', '/models/x%3Acount')).toEqual(['/models/{model}:count', { model: 'x' }])
  expect(found('POST', '/models/a%2Fb:8b:count')).toEqual(['/models/{model}:count', { model: 'a/b:8b' }])
  expect(found('GET', '/models/x:8b')).toEqual(['/models/{model}', { model: 'x:8b' }])
  expect(found('POST', '/models/x:other')).toBeUndefined()
  expect(found('POST', '/models/:generate')).toBeUndefined()
})

it('lets two routes name the same place differently', () => {
  const named = new Router([
    { methods: ['GET'], path: '/models/{model}' },
    { methods: ['POST'], path: '/models/{owner}/{name}/jobs' },
  ])
  expect(named.find('GET', '/models/a')?.params).toEqual({ model: 'a' })
  expect(named.find('POST', '/models/a/b/jobs')?.params).toEqual({ owner: 'a', name: 'b' })
})
