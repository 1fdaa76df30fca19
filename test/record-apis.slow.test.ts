import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answer, cancel, defineApi, poll, submit, z, type Job } from '../src/apis/own/index.ts'
import { startRecorder } from '../src/cli/inspect/record.ts'
import type { Rule, Scenario } from '../src/index.ts'
import { ObservedApis } from '../src/judge/recording/observed-apis.ts'
import { scenarioOfRecording } from '../src/judge/recording/to-scenario.ts'
import { checkScenario } from '../src/files/check.ts'
import { parseTargetUrl } from '../src/server/forward.ts'
import { loadApis } from '../src/files/code/load-apis.ts'
import { startServer, type ServerOptions } from '../src/server/start.ts'
import { folderWith, never, node, runIn } from './cli/run-in-folder.ts'

const state = (job: Job): object => ({
  data: {
    job: job.id,
    state: job.isDone ? 'over' : job.status,
    percent: `${job.progress}%`,
    ...(job.hasSucceeded && { file: job.url }),
    ...(job.hasFailed && { problem: { text: job.reason } }),
  },
})

/** An API with ids in the query, keys in a header, and polls that have one word for every end. */
const acme = defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken', cancelled: 'stopped' },
  timing: { queued: '6s', render: '20s' },
  keys: { like: /^acme_/, headers: ['X-Acme-Key'] },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ scene: z.object({ text: z.string() }) }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.scene.text }),
      reply: state,
    }),
    get: poll({ route: 'GET /acme/job?job={id}', reply: state }),
    stop: cancel({ route: 'DELETE /acme/jobs/{id}', reply: () => answer(204) }),
  },
})
const key = 'acme_secret_of_a_real_account'

interface World {
  readonly url: string
  readonly sleep: (durationMs: number) => Promise<unknown>
}

async function startVendor(
  rules: readonly Rule[],
  apis: ServerOptions['apis'] = [acme],
): Promise<World & { readonly now: () => number }> {
  const server = await startServer({
    port: 0,
    cacheDir: false,
    quality: 'fast',
    clock: { mode: 'auto' },
    apis,
    rules,
  })
  onTestFinished(server.close)
  const { clock } = server.simulator.control
  return {
    url: server.url,
    sleep: (durationMs) =>
      fetch(`${server.url}/_greenroom/clock/sleep`, {
        method: 'POST',
        body: JSON.stringify({ for: `${durationMs}ms` }),
      }),
    now: () => Date.parse(clock.status('default').time),
  }
}

async function call(url: string, method: string, body?: object): Promise<[number, unknown]> {
  const headers = { 'x-acme-key': key, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  return [response.status, text === '' ? undefined : (JSON.parse(text) as unknown)]
}

/** Follows two jobs: one to its end, and one that is stopped after a poll. Returns what it sees. */
async function useVendor({ url, sleep }: World): Promise<unknown[]> {
  const make = async (text: string): Promise<string> => {
    const [, body] = await call(`${url}/acme/jobs`, 'POST', { scene: { text } })
    return (body as { data: { job: string } }).data.job
  }
  const look = async (id: string): Promise<unknown> => {
    const [status, body] = await call(`${url}/acme/job?job=${id}`, 'GET')
    return [status, JSON.parse(JSON.stringify(body).replaceAll(id, 'ID').replaceAll(url, ''))]
  }
  const first = await make('a red kite')
  const second = await make('a blue boat')
  await sleep(1_000)
  const seen = [await look(second), (await call(`${url}/acme/jobs/${second}`, 'DELETE'))[0]]
  for (let polls = 0; polls < 9; polls++) {
    await sleep(4_000)
    seen.push(await look(first))
  }
  return [...seen, await look(second)]
}

async function record(
  rules: readonly Rule[],
  prompts = true,
): Promise<{ seen: unknown[]; scenario: Scenario }> {
  const vendor = await startVendor(rules)
  const apis = new ObservedApis([acme])
  const target = parseTargetUrl(vendor.url)
  const recorder = await startRecorder(target, { port: 0, warn: () => {}, apis, now: vendor.now })
  onTestFinished(recorder.close)
  const seen = await useVendor({ url: recorder.url, sleep: vendor.sleep })
  return { seen, scenario: scenarioOfRecording(recorder.exchanges, { name: 'acme', prompts, apis }) }
}

const statesOf = (seen: readonly unknown[]): unknown[] =>
  seen.map((each) => {
    const [status, body] = [each].flat() as [number, { data?: { state?: string; problem?: object } }?]
    return [status, body?.data?.state, body?.data?.problem]
  })

it.each([
  ['a success', []],
  [
    'a failure with its reason',
    [
      {
        match: { role: 'submit' },
        on: 1,
        task: { outcome: 'failure', reason: 'no kites today' },
      },
    ],
  ],
] satisfies [string, Rule[]][])('replays %s of an API of a user', async (_, rules) => {
  const { seen, scenario } = await record([
    ...rules,
    { match: { op: 'acme.get', task: { nth: 1 } }, on: 3, respond: { status: 503 } },
  ])
  expect(
    checkScenario(JSON.parse(JSON.stringify(scenario)), new ObservedApis([acme]).operations),
  ).toHaveProperty('scenario')
  const replay = await startVendor(scenario.rules ?? [])
  expect(statesOf(await useVendor(replay))).toEqual(statesOf(seen))
})

it('names the operations and states of an API of a user', async () => {
  const { scenario } = await record([])
  expect(scenario.rules).toEqual([
    {
      id: 'acme.create-1',
      optional: true,
      match: { op: 'acme.create' },
      on: 1,
      task: {
        timeline: [
          { after: '0ms', status: 'waiting' },
          { after: '7000ms', status: 'drawing', progress: '14%' },
          { after: '11s', progress: '34%' },
          { after: '15s', progress: '54%' },
          { after: '19s', progress: '74%' },
          { after: '23s', progress: '94%' },
          { after: '27s', status: 'ready' },
        ],
      },
    },
    {
      id: 'acme.create-2',
      optional: true,
      match: { op: 'acme.create' },
      on: 2,
      task: { timeline: [{ after: '0ms', status: 'waiting' }] },
    },
  ])
})

it('takes the first of the states in which a definition replies alike', () => {
  const { create } = acme.operations
  const get = poll({ route: 'GET /acme/jobs/{id}', reply: ({ isDone }) => ({ isDone }) })
  const apis = new ObservedApis([defineApi({ ...acme, operations: { create, get } })])
  const submission = { operation: 'acme.create', sent: { scene: { text: 'x' } }, params: {} }
  const stateIn = (reply: object): string | undefined => {
    const received = [{ atMs: 0, text: JSON.stringify(reply) }]
    const exchange = { method: 'GET', path: '/', atMs: 0, headers: {}, sent: {}, key, received, bytes: 9 }
    return apis.readState('acme.get', exchange, submission)?.status
  }
  expect([stateIn({ isDone: false }), stateIn({ isDone: true })]).toEqual(['waiting', 'ready'])
})

it('stores neither keys in the places of an API of a user, nor prompts where its definition finds them', async () => {
  const refusal = { status: 400, body: { oops: `${key} may not draw a red kite` } }
  const { scenario } = await record([{ match: { role: 'poll' }, on: 2, respond: refusal }], false)
  expect(JSON.stringify(scenario)).toContain('sk-alias may not draw')
  expect(JSON.stringify(scenario)).not.toContain('secret')
})

const definition = `
import { defineApi, poll, submit, z } from 'greenroom/api'
export default defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  timing: { queued: 0, render: 0 },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => ({ status }) }),
  },
})`

const client = `
const { GREENROOM_URL: url } = process.env
const headers = { authorization: 'Bearer sk-a', 'content-type': 'application/json' }
const made = await fetch(url + '/acme/jobs', { method: 'POST', headers, body: '{"text":"a red kite"}' })
const { id } = await made.json()
const { status } = await (await fetch(url + '/acme/jobs/' + id, { headers })).json()
if (status !== 'ready') throw new Error(status)`

it('names no file of --api in the scenario, and says how to play it', async () => {
  const folder = folderWith({ 'acme.ts': definition, 'client.mjs': client })
  mkdirSync(join(folder, 'recorded'))
  const { url } = await startVendor([], await loadApis(['./acme.ts'], folder))
  const options = { interrupted: never, environment: process.env }
  const flags = ['--target', url, '--api', './acme.ts', '--out', 'recorded/it.yaml']
  const { code, warned } = await runIn(folder, ['record', ...flags, ...node('client.mjs')], options)
  expect([code, warned]).toEqual([0, expect.stringContaining('it.yaml: 2 exchanges')])
  expect(warned).toContain('hint: Play it with --api ./acme.ts.')
  expect(readFileSync(join(folder, 'recorded/it.yaml'), 'utf8')).not.toContain('acme.ts')
  const own = ['run', '--api', './acme.ts', 'recorded/it.yaml']
  const ran = await runIn(folder, [...own, ...node('client.mjs')], options)
  expect([ran.code, ran.warned]).toEqual([0, ''])
  const checked = await runIn(folder, ['check', '--api', './acme.ts', 'recorded/it.yaml'], options)
  expect([checked.code, checked.printed]).toEqual([0, expect.stringContaining('drive acme-1: succeeded')])
})

it('refuses two APIs of one name', async () => {
  const folder = folderWith({ 'one.ts': definition, 'two.ts': definition })
  const flags = ['--target', 'http://127.0.0.1:9', '--api', './one.ts', '--api', './two.ts']
  const { code, warned } = await runIn(folder, ['record', ...flags])
  expect([code, warned]).toEqual([2, expect.stringContaining('two.ts: the name is "acme", which an API of')])
})
