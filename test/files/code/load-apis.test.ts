import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { loadApis, nameApiFile } from '../../../src/files/code/load-apis.ts'
import { loadScenario } from '../../../src/files/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'apis-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

const vendor = (name: string, status = 'job.status'): string => `
import { defineApi, poll, submit, z } from 'greenroom/api'
export default defineApi({
  name: '${name}',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /${name}/jobs',
      body: z.object({ prompt: z.string() }),
      job: ({ body }) => ({ model: 'a', prompt: body.prompt }),
      reply: (job) => ({ id: job.id }),
    }),
    get: poll({ route: 'GET /${name}/jobs/{id}', reply: (job) => ({ status: ${status} }) }),
  },
})
`

const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

it('knows the operations of APIs that are passed with a scenario', async () => {
  const apis = await loadApis([write('sub/acme.ts', vendor('acme'))], folder)
  const path = write(
    'one.yaml',
    'version: 1\nrules: [{ match: { op: acme.get, state: drawing }, delay: 1s }]\nexpect: { tasks: [{ kind: acme, status: ready }] }\n',
  )
  const scenario = await loadScenario(path, { apis })
  expect(scenario.scenario.config?.apis).toEqual([join(folder, 'sub/acme.ts')])
  await using sim = createSimulator({ scenario, cacheDir: false })
  expect(sim.core.operations.roleOf('acme.get')).toBe('poll')
  expect(sim.core.operations.find('acme.output')?.route).toBe('GET HEAD /acme/output/{id}/{n}')
})

it('knows the shipped APIs that only a base names', async () => {
  write('base.yaml', 'version: 1\nconfig: { apis: [replicate] }\n')
  const path = write(
    'derived.yaml',
    'version: 1\nextends: [./base.yaml]\nrules: [{ match: { op: replicate.get }, on: 1, respond: { status: 503 } }]\n',
  )
  const { scenario } = await loadScenario(path)
  expect(scenario.rules).toHaveLength(1)
})

it('suggests an operation of an API for an unknown one', async () => {
  const apis = await loadApis([write('acme.ts', vendor('acme'))], folder)
  const path = write('wrong.yaml', 'version: 1\nrules: [{ match: { op: acme.gett } }]\n')
  expect(await failureOf(loadScenario(path, { apis }))).toMatch(/wrong\.yaml:2:.*Did you mean "acme\.get"\?/)
})

it('loads the APIs that a scenario in TypeScript names, relative to it', async () => {
  write('acme.ts', vendor('acme'))
  const text = 'export default { version: 1, config: { apis: ["./acme.ts"] } }'
  const { scenario } = await loadScenario(write('program.ts', text))
  expect(scenario.config?.apis).toEqual([join(folder, 'acme.ts')])
})

const evil = 'globalThis.wasRun = true\nexport default { version: 1 }'

it.each([
  ['extends: [./evil.mjs]', ':2:11: extends.0: is "./evil.mjs", a program. Write that scenario in YAML'],
  ['extends: ./evil.mjs', ':2:10: extends: is "./evil.mjs", a program.'],
  [
    'config: { apis: [replicate, ./evil.mjs] }',
    'config.apis.1: is "./evil.mjs", a program. Pass it by --api ./evil.mjs',
  ],
  [
    'config: { ffmpeg: ./evil.sh }',
    'config.ffmpeg: is "./evil.sh", a program. Set GREENROOM_FFMPEG=./evil.sh',
  ],
  [
    'config: { handlers: ./evil.mjs }',
    'config.handlers: is "./evil.mjs", a program. Pass it by serve --handlers',
  ],
  ['extends: [./names-evil.yaml]', 'names-evil.yaml:1:'],
])('runs no program for a scenario with %s', async (part, message) => {
  write('evil.mjs', evil)
  write('names-evil.yaml', '{ version: 1, extends: [./evil.mjs] }')
  const path = write('data.yaml', `version: 1\n${part}\n`)
  expect(await failureOf(loadScenario(path))).toContain(message)
  expect(globalThis).not.toHaveProperty('wasRun')
})

it.each([
  ['export const answer = 42', 'exports no API. Write export default defineApi({ … })'],
  ['throw new TypeError("boom")', "The file can't be run: boom."],
  [vendor('Acme'), 'name is "Acme". Write 1 to 31 lower-case letters'],
])('refuses a file with %j', async (text, message) => {
  const path = write('refused.ts', text)
  expect(await failureOf(loadApis([path], folder))).toContain(message)
})

it('suggests a shipped API for a misspelt name', async () => {
  expect(await failureOf(loadApis(['replicat'], folder))).toContain('Did you mean "replicate"?')
})

it('names a file relative to a folder, and a shipped API by its name', async () => {
  const [shipped] = await loadApis(['fal'], folder)
  expect(nameApiFile(String(shipped), folder)).toBe('fal')
  expect(nameApiFile(join(folder, 'acme.ts'), join(folder, 'findings'))).toBe('../acme.ts')
})

it('serves two definitions of one name in two simulators', async () => {
  const [first] = await loadApis([write('v1.ts', vendor('twin'))], folder)
  const [second] = await loadApis([write('v2.ts', vendor('twin', '"always"'))], folder)
  const statusFrom = async (api: typeof first): Promise<unknown> => {
    await using sim = createSimulator({ apis: [api!], cacheDir: false })
    const headers = { authorization: 'Bearer sk-a', 'content-type': 'application/json' }
    const body = JSON.stringify({ prompt: 'a kite' })
    const made = await sim.fetch('/twin/jobs', { method: 'POST', headers, body })
    const { id } = (await made.json()) as { id: string }
    return (await sim.fetch(`/twin/jobs/${id}`, { headers })).json()
  }
  expect(await statusFrom(first)).toEqual({ status: 'drawing' })
  expect(await statusFrom(second)).toEqual({ status: 'always' })
  expect(() => createSimulator({ apis: [first!, second!] })).toThrow('the name is "twin", which an API of')
})

it('loads no code for a scenario that comes over the control API', async () => {
  write('marker.ts', 'globalThis.wasRun = true')
  await using sim = createSimulator({ cacheDir: false })
  const text = `version: 1\nconfig: { apis: ['${join(folder, 'marker.ts')}'] }\n`
  const checked = await sim.core.control.scenario.check(text)
  expect(checked).toMatchObject({
    ok: false,
    message: expect.stringContaining('a program. Pass it by --api'),
  })
  expect(globalThis).not.toHaveProperty('wasRun')
})
