import { expect, it } from 'vitest'
import type { Core, UnservedRequests } from '../../src/gateway/core.ts'
import type { Route } from '../../src/gateway/exchange.ts'
import { LazyRouter, type PlannedRoute } from '../../src/gateway/lazy-router.ts'
import { Router } from '../../src/gateway/router.ts'
import { explainUnserved, relatedRoute, unknownPath } from '../../src/gateway/unserved.ts'

type Given = Partial<Omit<Route, 'path' | 'methods'>>

function planned(operation: string, paths: string, more: Given = {}, option?: string): PlannedRoute<Route> {
  const [methods = '', path = '', ...aliases] = paths.split(' ')
  const route = { operation, methods: methods.split(','), path, aliases, ...more } as unknown as Route
  return {
    ...route,
    facts: option === undefined ? {} : { option },
    createRoute: () => route,
  } as unknown as PlannedRoute<Route>
}

const refuse = (() => undefined) as unknown as NonNullable<Route['refuse']>
const served = [
  planned('a.make', 'POST /v1/tasks'),
  planned('a.read', 'GET /v1/tasks/{id} /old/tasks/{id}'),
  planned('a.file', 'GET,HEAD /v1/tasks/{id}/file'),
  planned('a.tags', 'GET /v1/tasks/{id}/tags'),
  planned('m.list', 'GET /v2/models', { refuse }),
  planned('m.write', 'POST /v2/models/{model}:write', { refuse }),
  planned('m.count', 'POST /v2/models/{model}:count', { refuse }),
  planned('s.paint', 'POST /mj/submit/paint', { refuse }),
  planned('s.undo', 'DELETE,POST /mj/undo', { refuse }),
  planned('own.make', 'POST /own/jobs', { prefixes: ['/own'] }),
  planned('own.read', 'GET /own/jobs/{id}', { prefixes: ['/own'] }),
  planned('own.deep', 'GET /own/deep/{id}', { prefixes: ['/own/deep'] }),
  planned('far.read', 'GET /far/jobs', { prefixes: ['/elsewhere'] }),
]
const withheld = [planned('a.drop', 'DELETE /v1/tasks/{id}', {}, 'a.dropping')]
const unserved: UnservedRequests = {
  instead: [[/^\/v1\/audio/, 'Audio is not offered.']],
  unimplemented: [/^POST \/v1\/audio$/, /^GET \/v9$/],
  folders: [['/v1beta/', '/v1/']],
  roots: ['/v1', '/v2'],
}
const router = new LazyRouter<Route>({} as Core, {
  served: new Router(served),
  withheld: new Router(withheld),
})
const offer = { router, unserved }

const make = 'Did you mean POST /v1/tasks (a.make)?'
const read = 'Did you mean GET /v1/tasks/{id} (a.read)?'

it.each([
  ['DELETE', '/v1/tasks/t_1', "The gateway doesn't offer it. The option a: { dropping: true } brings it."],
  ['GET', '/v1/tasks/t_1', undefined],
  ['HEAD', '/v1/tasks/t_1/file', undefined],
  ['OPTIONS', '/v1/tasks', undefined],
  ['OPTIONS', '/nothing', ''],
  ['GET', '/ns/mine/v1/tasks/t_1?a=1', undefined],
  ['POST', '/v1beta/tasks', make],
  ['POST', '/v1beta/task', make],
  ['GET', '/v1beta/tasks/t_1', read],
  ['GET', '/v1/audio/speech', 'Audio is not offered.'],
  ['GET', '/v1/tasks', 'This path takes POST (a.make).'],
  ['PUT', '/v1/tasks/t_1', 'This path takes GET (a.read).'],
  ['PUT', '/v1/tasks/latest', 'This path takes GET (a.read).'],
  ['POST', '/v1/tasks/latest', ''],
  ['PUT', '/v1/tasks/t_1/file', 'This path takes GET (a.file), HEAD (a.file).'],
  ['PUT', '/mj/undo', 'This path takes DELETE (s.undo), POST (s.undo).'],
  ['POST', '/v1/task', make],
  ['POST', '/v1/tas', make],
  ['POST', '/v1/ta', ''],
  ['POST', '/v1tasks', make],
  ['GET', '/v1/task', make],
  ['GET', '/v1/task/t_1', read],
  ['GET', '/old/task/t_1', 'Did you mean GET /old/tasks/{id} (a.read)?'],
  ['GET', '/v1/tsk/latest', ''],
  ['POST', '/v1/tasks/', make],
  ['POST', '/v1/tasks//', make],
  ['POST', '/api/proxy/v1/tasks', make],
  ['POST', '/tasks', make],
  ['GET', '/models', 'Did you mean GET /v2/models (m.list)?'],
  ['HEAD', '/v1/tasks/t_1', 'This path takes GET (a.read).'],
  ['GET', '/v1/tasks/t_1/file/more', ''],
  ['POST', '/mj/paint', 'Did you mean POST /mj/submit/paint (s.paint)?'],
  ['POST', '/mj', 'Did you mean POST /mj/undo (s.undo)?'],
  ['POST', '/v2/models/x:wriet', 'Did you mean POST /v2/models/{model}:write (m.write)?'],
  ['POST', '/v2/models/x:WRITE', 'Did you mean POST /v2/models/{model}:write (m.write)?'],
  ['POST', '/v2/models/x/count', 'Did you mean POST /v2/models/{model}:count (m.count)?'],
  ['POST', '/v2/models/x%3Acuont/', 'Did you mean POST /v2/models/{model}:count (m.count)?'],
  ['GET', '/v2/models/x:write', 'This path takes POST (m.write).'],
  ['POST', '/v2/model/x:write', 'Did you mean POST /v2/models/{model}:write (m.write)?'],
  ['GET', '/own/jobs', 'This path takes POST (own.make).'],
  ['GET', '/own/job/j_1', 'Did you mean GET /own/jobs/{id} (own.read)?'],
  ['POST', '/v2/models/x:other', ''],
  ['PUT', '/own/jobs/latest', 'This path takes GET (own.read).'],
  ['GET', '/total/else', ''],
  ['GET', '', ''],
  ['GET', `/${'x'.repeat(400)}`, ''],
])('explains why %s %s is not served', (method, path, hint) => {
  expect(explainUnserved(offer, method, path)).toBe(hint)
})

it.each([
  ['GET', '/v2/models/x/y', 'm.list'],
  ['GET', '/v2/other', 'm.list'],
  ['GET', '/v4/other', undefined],
  ['GET', '/upload/v2/models', 'm.list'],
  ['GET', '/mj/other', 's.paint'],
  ['GET', '/mj/submit/other', 's.paint'],
  ['GET', '/v1/tasks', undefined],
  ['PUT', '/own/jobs', 'own.make'],
  ['GET', '/own', 'own.make'],
  ['GET', '/owner', undefined],
  ['GET', '/own/deep/a/b', 'own.deep'],
  ['GET', '/own/deeper', 'own.make'],
  ['GET', '/elsewhere/deep/job', 'far.read'],
  ['GET', '/elsewhere-too/deep/job', undefined],
  ['GET', '/total/else', undefined],
])('takes %s %s for a request to the API of %s', (method, path, operation) => {
  expect(relatedRoute(router, method, path)?.operation).toBe(operation)
})

it.each([
  ['POST', '/v1/audio', 501, 'API not implemented. Audio is not offered.'],
  ['GET', '/v9', 501, 'API not implemented'],
  ['PUT', '/v1/audio', 404, 'Invalid URL (PUT /v1/audio). Audio is not offered.'],
  [
    'GET',
    '/total/else',
    404,
    'Invalid URL (GET /total/else). Check the path: the API is below /v1 and /v2, such as POST /v1/tasks (a.make).',
  ],
  [
    'GET',
    '/own/other/of/many',
    404,
    'Invalid URL (GET /own/other/of/many). The operations of own are POST /own/jobs (own.make), GET /own/jobs/{id} (own.read), GET /own/deep/{id} (own.deep).',
  ],
])('refuses %s %s with %i', (method, path, status, text) => {
  const refusal = unknownPath(offer, method, path, relatedRoute(router, method, path))
  expect([refusal.status, refusal.text]).toEqual([status, text])
})
