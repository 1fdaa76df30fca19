import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { defineApi, poll } from '../../../src/apis/own/index.ts'
import { createSimulator, loadScenario } from '../../../src/index.ts'
import { loadApis } from '../../../src/files/code/load-apis.ts'
import { run, serve } from '../../cli/run-in-folder.ts'
import { acme, create, get, simulatorOf } from '../../apis/own/acme.ts'
import { needs, servedRows } from '../../support/needs.ts'

const lines = [
  "import { defineApi, poll, submit, z } from 'greenroom/api'",
  'const body = z.object({ text: z.string() })',
  'const create = submit({',
  "  route: 'POST /acme/jobs',",
  '  body,',
  "  job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),",
  '  reply: (job) => ({ id: job.id, error: null }),',
  '})',
  'export default defineApi({',
  "  name: 'acme',",
  "  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },",
  '  keys: {',
  '    like: /^acme_/,',
  '  },',
  '  error: ({ message }) => ({ oops: message }),',
  '  operations: {',
  '    create,',
  '    get: poll({',
  "      route: 'GET /acme/jobs/{id}',",
  '      reply: (job) => job.status,',
  '    }),',
  '  },',
  '})',
]

/** A file with the definition, one part of which is replaced. */
function fileWith(part: string, replacement: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'own-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'acme.ts')
  writeFileSync(file, lines.join('\n').replace(part, replacement))
  return file
}

it.each([
  ['keys: {', 'kyes: {', ':12: API "acme": kyes is not known. Did you mean "keys"?'],
  ['like: /^acme_/', "like: 'acme'", ':13: API "acme": keys.like is "acme".'],
  ['  error: (', '  erorr: (', ':15: API "acme": erorr is not known.'],
  ["failure: 'broken'", "failure: ''", ':11: API "acme": states.failure is "".'],
  ["'GET /acme/jobs/{id}'", "'GET /acme/jobs'", ':19: API "acme": operations.get.route is "/acme/jobs"'],
  [
    '      reply:',
    '      repyl:',
    ':20: API "acme": operations.get.repyl is not known. Did you mean "reply"?',
  ],
  ['get: poll({', 'got: poll({', undefined],
])('names the line of %s', async (part, replacement, message) => {
  const file = fileWith(part, replacement)
  if (message === undefined) await expect(loadApis([file], '/')).resolves.toEqual([file])
  else await expect(loadApis([file], '/')).rejects.toThrow(file + message)
})

it('names file and operations if a route or a name is taken', async () => {
  needs('video.submit')
  const route = fileWith("'POST /acme/jobs'", "'POST /v1/video/generations'")
  const [path] = await loadApis([route], '/')
  expect(() => createSimulator({ apis: [path!] })).toThrow(
    `${route}: operations.create has the route of video.submit: POST /v1/video/generations. Change its route.`,
  )
  const name = fileWith("'acme'", "'video'")
  const [other] = await loadApis([name], '/')
  expect(() => createSimulator({ apis: [other!] })).toThrow(
    `${name}: the name is "video", which an API of greenroom has. Write another name.`,
  )
})

it('ends a command as for any bad file if the route of an API is taken', async () => {
  const file = fileWith("'POST /acme/jobs'", "'POST /v1/video/generations'")
  const { code, warned } = await run(serve('--api', file))
  expect([code, warned]).toEqual([22, expect.stringContaining('has the route of video.submit')])
})

it('names a file whose definition is a proxy that throws', async () => {
  const get = "{ get() { throw new Error('boom') } }"
  const file = fileWith(
    'export default defineApi(',
    `export default ((api) => new Proxy(api, ${get}))(defineApi(`,
  )
  appendFileSync(file, ')')
  await expect(loadApis([file], '/')).rejects.toThrow(`${file}:9: The file can't be run: boom.`)
})

it.each(['/_greenroom/jobs', '/_greenroom', '/ns/{name}/jobs'])(
  'refuses the path %s, which belongs to greenroom',
  async (path) => {
    const file = fileWith("'POST /acme/jobs'", `'POST ${path}'`)
    await expect(loadApis([file], '/')).rejects.toThrow(
      `API "acme": operations.create.route is "${path}". Paths below /_greenroom and /ns are those of greenroom: the control API and namespaces. Write another path, such as`,
    )
  },
)

it('accepts a path that only begins like one of greenroom', async () => {
  const file = fileWith("'POST /acme/jobs'", "'POST /_greenrooms/jobs'")
  await expect(loadApis([file], '/')).resolves.toEqual([file])
})

it.each(
  servedRows([
    ['/v1/models/kite', '/v1/models/{model} (models.get)'],
    ['/v1beta/models/kite/jobs', '/v1beta/models/{model} (text.model)'],
  ]),
)('refuses the path %s, which hides a model', async (path, other) => {
  const [file] = await loadApis([fileWith("'POST /acme/jobs'", `'POST ${path}'`)], '/')
  expect(() => createSimulator({ apis: [file!] })).toThrow(
    `${file}: operations.create: route is "${path}", which hides ${other} for the model "kite". Change its path.`,
  )
})

it('names file and operations if an option brings a route that an API has', async () => {
  needs('videos.list')
  const file = fileWith("'GET /acme/jobs/{id}'", "'GET /v1/videos?job={id}'")
  const apis = (await loadApis([file], '/')) as [string]
  await createSimulator({ apis, cacheDir: false }).close()
  expect(() => createSimulator({ apis, video: { listAndDelete: true } })).toThrow(
    `${file}: operations.get has the route of videos.list: GET /v1/videos. Change its route.`,
  )
})

it('names both operations if two APIs of a user have one route', () => {
  const twin = defineApi({
    ...acme,
    name: 'twin',
    operations: { make: create, get: poll({ ...get, route: 'GET /twin/{id}' } as never) },
  })
  expect(() => createSimulator({ apis: [defineApi({ ...acme }), twin] })).toThrow(
    'apis[1]: operations.make has the route of acme.create: POST /acme/jobs. Change its route.',
  )
  expect(() => createSimulator({ apis: [defineApi({ ...acme }), defineApi({ ...acme })] })).toThrow(
    'apis[1]: the name is "acme", which an API of apis[0] has. Write another name.',
  )
})

it('says that an object is no definition', () => {
  expect(() => createSimulator({ apis: [{ name: 'x' }] as never })).toThrow(
    'must be a file, the name of a shipped API, or what defineApi returns',
  )
})

it('says that a file defines an API and is no scenario', async () => {
  const file = fileWith('', '')
  await expect(loadScenario(file)).rejects.toThrow(
    `${file}: defines the API "acme", and is no scenario. Pass it by --api, or name it in apis of the config.`,
  )
})

it('keeps an operation whose name the own download would have', async () => {
  const output = poll({ route: 'GET /acme/output/{id}', reply: (job) => job.status })
  await using sim = simulatorOf({ operations: { create, output } })
  expect(sim.core.operations.names.filter((name) => name.startsWith('acme.'))).toEqual([
    'acme.create',
    'acme.output',
    'acme.file',
  ])
})
