import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createSimulator } from '../../dist/index.js'
import { cellOf, ratiosOf, timesOf } from '../figures.js'
import { peersAreThere } from '../peers/peers.js'
import { here } from '../servers.js'

const url = 'https://gateway.test'
const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
const calls = 400
const rounds = 6
const importRounds = 7

/** @typedef {() => Promise<{ call: (path: string) => Promise<Response>, end: () => unknown }>} Open */

/** What one intercepted poll costs with each interceptor. */
export async function measureInProcess() {
  const sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  const body = JSON.stringify({ model: 'video-1', prompt: '[[queued forever]] a boat' })
  const submitted = await sim.fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
  const path = `/v1/video/generations/${(await submitted.json()).task_id}`
  const text = await (await sim.fetch(url + path, { headers })).text()
  /** @type {Record<string, Open>} */
  const contenders = {
    'a bare MSW handler with the same JSON': () =>
      intercepted({ http, setupServer }, [bareHandler(path, text)]),
    'greenroom through MSW 2': () => intercepted({ http, setupServer }, sim.handlers({ baseUrl: url })),
    ...(await msw3(sim, path, text)),
    '`sim.fetch`': async () => ({ call: (path) => sim.fetch(url + path, { headers }), end: () => {} }),
    ...(peersAreThere && { nock: () => nocked(text), "undici's MockAgent": () => agent(text) }),
  }
  /** @type {Record<string, number[]>} */
  const cpu = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [name, open] of Object.entries(contenders)) {
      const { call, end } = await open()
      const before = process.cpuUsage()
      for (let each = 0; each < calls; each++) await (await call(path)).json()
      const { user, system } = process.cpuUsage(before)
      await end()
      if (round > 0) (cpu[name] ??= []).push((user + system) / calls)
    }
  }
  await sim.close()
  const bare = Object.values(cpu)[0] ?? []
  const rows = Object.entries(cpu).map(([name, used]) => {
    return `| ${name} | ${cellOf(ratiosOf(used, bare))} | ${cellOf(used, 'µs')} |`
  })
  return `One poll, sent with \`fetch\` and read as JSON: processor time relative to a bare MSW handler.

| | ratio | median |
|---|---|---|
${rows.join('\n')}

${await measureImports()}`
}

/** @param {any} http3 */
const bareHandler = (/** @type {string} */ path, /** @type {string} */ text, http3 = http) =>
  http3.get(url + path, () => new HttpResponse(text, { headers: { 'content-type': 'application/json' } }))

/** @returns {ReturnType<Open>} */
async function intercepted(/** @type {any} */ { setupServer: setup }, /** @type {any[]} */ handlers) {
  const server = setup(...handlers)
  server.listen()
  return { call: (path) => fetch(url + path, { headers }), end: () => server.close() }
}

/** MSW 3 is no dependency: a folder that has it is named, as for its tests. @returns {Promise<Record<string, Open>>} */
async function msw3(/** @type {any} */ sim, /** @type {string} */ path, /** @type {string} */ text) {
  const folder = process.env['GREENROOM_MSW3']
  if (folder === undefined) return {}
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (/** @type {string} */ name) => import(pathToFileURL(resolve(name)).href)
  const [{ http: http3 }, node] = [await load('msw'), await load('msw/node')]
  return {
    'the same bare handler in MSW 3': () => intercepted(node, [bareHandler(path, text, http3)]),
    'greenroom through MSW 3': () => intercepted(node, sim.handlers({ baseUrl: url, http: http3 })),
  }
}

const peer = (/** @type {string} */ name) =>
  import(pathToFileURL(createRequire(here('package.json')).resolve(name)).href)

/** @returns {ReturnType<Open>} */
async function nocked(/** @type {string} */ text) {
  const { default: nock } = await peer('nock')
  nock(url).persist().get(/.*/).reply(200, text, { 'content-type': 'application/json' })
  const end = () => {
    nock.cleanAll()
    nock.restore()
  }
  if (!nock.isActive()) nock.activate()
  return { call: (path) => fetch(url + path, { headers }), end }
}

/** @returns {ReturnType<Open>} */
async function agent(/** @type {string} */ text) {
  const { MockAgent, fetch: undiciFetch } = await peer('undici')
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  dispatcher
    .get(url)
    .intercept({ path: () => true })
    .reply(200, text, { headers: { 'content-type': 'application/json' } })
    .persist()
  return {
    call: (path) => undiciFetch(url + path, { headers, dispatcher }),
    end: () => dispatcher.close(),
  }
}

/** How long a process takes that only imports an entry, beyond one that imports nothing. */
async function measureImports() {
  const entries = {
    greenroom: '../dist/index.js',
    'greenroom/server': '../dist/server/index.js',
    'greenroom/matchers': '../dist/matchers/index.js',
  }
  const modules = Object.entries(entries).map(([name, path]) => [
    `\`${name}\``,
    pathToFileURL(here(path)).href,
  ])
  const codes = new Map([
    ...modules.map(
      ([name = '', url]) => /** @type {const} */ ([name, `await import(${JSON.stringify(url)})`]),
    ),
    ['`msw/node`, to compare', "await import('msw/node')"],
  ])
  const run = async (/** @type {string} */ code) => {
    const [ms = NaN] = await timesOf(1, () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', code]),
    )
    return ms
  }
  /** @type {Record<string, number[]>} */
  const taken = {}
  for (let round = 0; round <= importRounds; round++) {
    const nothing = await run('')
    for (const [name, code] of codes) {
      const ms = (await run(code)) - nothing
      // The first round reads the files from the disk.
      if (round > 0) (taken[name] ??= []).push(ms)
    }
  }
  const rows = Object.entries(taken).map(([name, ms]) => `| ${name} | ${cellOf(ms, 'ms')} |`)
  return ['| Import of | takes, beyond an empty process |', '|---|---|', ...rows].join('\n')
}
