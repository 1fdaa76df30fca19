// Installs a packed greenroom with npm into an empty folder, as a user would, and uses it there on several Nodes: the command,
// both entries, the types, the handlers for MSW, the tests of Vitest.
//   node scripts/ci-packed.js greenroom-0.4.0.tgz [NODE...]
// What npm installs is the same for every Node, so it is installed once.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const [tarball, ...programs] = process.argv.slice(2)
if (!tarball) throw new Error('Name the tarball: node scripts/ci-packed.js greenroom-0.4.0.tgz')

/** @typedef {{ program: string; version: string }} Node */

/** @type {readonly Node[]} */
const nodes = [process.execPath, ...programs].map((program) => ({
  program,
  version: execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim(),
}))

/** @typedef {{ name: string; hasTypes?: true }} Peer */

/**
 * Versions of optional peers that are installed together, in this order, each with the oldest Node that they support: the
 * oldest msw, 2.13, which gives clients a clone of the response, and the newest of each major, most next to a Vitest of their
 * time. The newest run on every Node, older ones on the oldest and the newest.
 *
 * @type {readonly { peers: readonly Peer[]; minNode: string; isOlder?: true }[]}
 */
const installations = [
  { peers: [{ name: 'msw@2.8.5' }, { name: 'vitest@3.2.7' }], minNode: '20.19.0', isOlder: true },
  { peers: [{ name: 'msw@2.13.6' }], minNode: '20.19.0', isOlder: true },
  { peers: [{ name: 'msw@2.15.0', hasTypes: true }, { name: 'vitest@4.1.12' }], minNode: '20.19.0' },
  { peers: [{ name: 'msw@3.0.5', hasTypes: true }, { name: 'vitest@5.1.1' }], minNode: '22.12.0' },
]

const folder = mkdtempSync(join(tmpdir(), 'greenroom-packed-'))

/**
 * Output is for us, complaints are for who runs this.
 *
 * @param {Node} [node] comes first in PATH.
 */
const surroundings = (node) => ({
  cwd: folder,
  env: {
    ...process.env,
    XDG_CACHE_HOME: join(folder, 'cache'),
    ...(node && { PATH: dirname(node.program) + delimiter + process.env['PATH'] }),
  },
  stdio: /** @type {['ignore', 'pipe', 'inherit']} */ (['ignore', 'pipe', 'inherit']),
})

const entries = `
  import { createSimulator } from 'greenroom'
  import { startServer } from 'greenroom/server'
  import { greenroomMatchers } from 'greenroom/matchers'
  if (typeof greenroomMatchers.toHaveSubmitted !== 'function') throw new Error('there are no matchers')
  const sim = createSimulator()
  const response = await sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-text-1', messages: [{ role: 'user', content: 'Why do kites fly?' }] }),
  })
  const { choices } = await response.json()
  if (!choices[0].message.content.includes('kite')) throw new Error('it does not speak of kites')
  await sim.close()
  const server = await startServer({ port: 0 })
  const { status } = await fetch(server.url + '/_greenroom/health')
  await server.close()
  if (status !== 200) throw new Error('health answers ' + status)`

const mswDoor = `
  import https from 'node:https'
  import { createSimulator } from 'greenroom'
  import { setupServer } from 'msw/node'
  import msw from 'msw/package.json' with { type: 'json' }
  const hasMsw3 = msw.version.startsWith('3.')
  const sim = createSimulator()
  const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
  server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const call = (path, init) =>
    fetch('https://gateway.example/v1' + path, { headers, signal: AbortSignal.timeout(10_000), ...init })
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 })
  const { task_id: id } = await (await call('/video/generations', { method: 'POST', body })).json()
  await sim.clock.advanceUntil(id, 'SUCCESS')
  const download = async () => Buffer.from(await (await call('/videos/' + id + '/content')).arrayBuffer())
  if ((await download()).toString('latin1', 4, 8) !== 'ftyp') throw new Error('the content is not an MP4')
  const chat = JSON.stringify({ model: 'sim-text-1', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
  const stream = await (await call('/chat/completions', { method: 'POST', body: chat })).text()
  if (!stream.endsWith('[DONE]\\n\\n')) throw new Error('the stream has no end: ' + stream.slice(-80))
  const failures = {
    fetch: () => download().catch(({ cause }) => cause.code),
    'http.request': () =>
      new Promise((resolve) => {
        const url = 'https://gateway.example/v1/videos/' + id + '/content'
        const sent = https.request(url, { headers, timeout: 10_000 }, (response) => {
          response.on('error', ({ code }) => resolve(code)).on('end', () => resolve('end')).resume()
        })
        sent.on('error', ({ code }) => resolve(code)).on('timeout', () => resolve('timeout')).end()
      }),
  }
  for (const [fault, codes] of Object.entries({
    reset: { fetch: 'ECONNRESET', 'http.request': 'ECONNRESET' },
    truncate: { fetch: 'UND_ERR_SOCKET', 'http.request': 'ECONNRESET' },
    garbage: { fetch: 'HPE_INVALID_CONSTANT', 'http.request': 'HPE_INVALID_CONSTANT' },
  })) {
    for (const [client, fail] of Object.entries(failures)) {
      // msw 3 gives errors of its own to such clients.
      if (client === 'http.request' && fault !== 'truncate' && hasMsw3) continue
      sim.next('video.content', { fault })
      const code = await fail()
      if (code !== codes[client]) throw new Error(client + ' gets ' + code + ' from ' + fault)
    }
  }
  server.close()
  await sim.close()`

const vitestTest = `
  import { expect, it } from 'vitest'
  import { useGreenroom } from 'greenroom/vitest'
  const gateway = useGreenroom()
  it('submits a video', async () => {
    const headers = { authorization: 'Bearer ' + gateway.key, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
    const { status } = await fetch(gateway.baseUrl + '/v1/video/generations', { method: 'POST', headers, body })
    expect(status).toBe(200)
    expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
  })
  it('reports a video that was not submitted', () => {
    const check = () => expect(gateway).toHaveSubmitted({ prompt: 'a red kite' })
    expect(check).toThrow('a red kite')
  })`

const consumer = `
  import { createSimulator, defineScenario, type EmbeddedOptions } from 'greenroom'
  import { createSimulator as inPage, loadScenario, parseScenario } from 'greenroom/browser'
  import { startServer } from 'greenroom/server'
  import { http } from 'msw'
  import { setupServer } from 'msw/node'
  const options: EmbeddedOptions = { seed: 7 }
  defineScenario({ version: 1, rules: [{ match: { op: 'video.poll' }, attempts: [503, 'ok'] }] })
  // @ts-expect-error There is no such fault.
  defineScenario({ version: 1, rules: [{ match: { op: 'video.poll' }, fault: 'rest' }] })
  const sim = createSimulator(options)
  setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
  setupServer(...sim.handlers({ baseUrl: 'https://gateway.example', http }))
  inPage({ scenario: await parseScenario('version: 1') }).handlers({ baseUrl: 'https://gateway.example', http })
  // @ts-expect-error A page has no encoder.
  inPage({ ffmpeg: 'wasm' })
  // @ts-expect-error A page finds no msw by itself.
  inPage().handlers({ baseUrl: 'https://gateway.example' })
  const noFile: never = await loadScenario('flaky.yaml')
  const url: string = (await startServer({ port: 0 })).url
  // @ts-expect-error Were the types not found, all would be any, and this no error.
  const wrong: number = sim.fetch
  console.log(url, wrong, noFile)`

const commonjsConsumer = `
  import greenroom = require('greenroom')
  import matchers = require('greenroom/matchers')
  import type { EmbeddedOptions } from 'greenroom'
  const options: EmbeddedOptions = { seed: 7 }
  const sim: greenroom.NodeSimulator = greenroom.createSimulator(options)
  const error: greenroom.ClockError = new greenroom.ClockError('late')
  // @ts-expect-error Were the types not found, all would be any, and this no error.
  const wrong: number = matchers.greenroomMatchers
  console.log(sim.fetch, error.message, wrong)`

/** What an installation may weigh. Raise it only for what is worth it to everybody who installs greenroom. */
const most = { packages: 100, megabytes: 150 }

for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
  const masks = join(above, 'node_modules')
  if (existsSync(masks)) console.warn(`${masks} may stand in for a dependency that is missing: set TMPDIR.`)
}

try {
  await step('installs with npm', () => install(resolve(tarball)))
  await step('stays small', checkSize)
  await step('brings the schema of scenario files', () =>
    assert(existsSync(join(folder, 'node_modules/greenroom/schema/scenario.schema.json'))),
  )
  await step('brings its licence', () => assert(existsSync(join(folder, 'node_modules/greenroom/LICENSE'))))
  await step('tells its version', () =>
    assert.match(run('npx', ['greenroom', '--version']), /^\d+\.\d+\.\d+$/m),
  )
  await stepOnEach(nodes, 'serves a video from the command line, and ends well', serveVideo)
  await stepOnEach(nodes, 'is imported', (node) => runModule(node, entries))
  await stepOnEach(nodes, 'is required', (node) =>
    run(node.program, [
      '-e',
      "require('greenroom/matchers'); require('greenroom').createSimulator().close()",
    ]),
  )
  writeFileSync(join(folder, 'packed.test.mjs'), vitestTest)
  for (const { peers, minNode, isOlder } of installations) {
    const names = peers.map(({ name }) => name)
    const every = supportedBy(names.join(' and '), minNode)
    const supported = isOlder ? every.filter((_, index) => index === 0 || index === every.length - 1) : every
    if (supported.length === 0) continue
    await step(`installs ${names.join(' and ')}`, () => install(...names))
    for (const { name, hasTypes } of peers) {
      if (name.startsWith('vitest')) await stepOnEach(supported, `runs tests of ${name}`, runTests)
      else await stepOnEach(supported, `serves videos, streams and faults through ${name}`, callThroughMsw)
      if (hasTypes) await step(`has types that fit ${name}`, checkTypes)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * The Nodes that optional peers support.
 *
 * @param {string} names
 * @param {string} minNode
 */
function supportedBy(names, minNode) {
  return nodes.filter(({ version }) => {
    const isSupported = version.localeCompare(minNode, undefined, { numeric: true }) >= 0
    if (!isSupported) console.log(`Skipped: ${names} need Node ${minNode}, this is ${version}.`)
    return isSupported
  })
}

/**
 * @param {string} name
 * @param {() => unknown} work
 */
async function step(name, work) {
  const start = performance.now()
  await work()
  console.log(`packed: ${name} (${Math.round(performance.now() - start)} ms)`)
}

/**
 * @param {readonly Node[]} those
 * @param {string} name
 * @param {(node: Node) => unknown} work
 */
async function stepOnEach(those, name, work) {
  for (const node of those) await step(`${name}, on Node ${node.version}`, () => work(node))
}

function checkSize() {
  const modules = join(folder, 'node_modules')
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const bytes = files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0)
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const packages = Object.keys(lock.packages).length
  const megabytes = Math.ceil(bytes / 1_000_000)
  console.log(`packed: ${packages} packages, ${megabytes} MB`)
  assert(packages <= most.packages, `${packages} packages are installed, at most ${most.packages} may be`)
  assert(megabytes <= most.megabytes, `${megabytes} MB are installed, at most ${most.megabytes} may be`)
}

/** @param {string[]} packages */
function install(...packages) {
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', ...packages])
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Node} [node]
 * @returns what it prints.
 */
function run(program, args, node) {
  const { status, stdout } = spawnSync(program, args, { ...surroundings(node), encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}`)
  return stdout
}

/**
 * @param {Node} node
 * @param {string} code
 */
function runModule(node, code) {
  run(node.program, ['--input-type=module', '-e', code], node)
}

/**
 * greenroom finds msw by itself.
 *
 * @param {Node} node
 */
function callThroughMsw(node) {
  runModule(node, mswDoor)
}

/** @param {Node} node */
function runTests(node) {
  assert.match(run(node.program, ['node_modules/vitest/vitest.mjs', 'run'], node), /2 passed/)
}

/** @param {Node} node */
async function serveVideo(node) {
  // What npx runs, without npx between: npx answers an interrupt with a status of its own.
  const command = join(folder, 'node_modules/.bin/greenroom')
  const serving = spawn(command, ['serve', '--port', '0', '--log', 'json'], surroundings(node))
  const ended = once(serving, 'exit')
  try {
    const tooSoon = ended.then(([status]) => assert.fail(`It ended with ${status} before it had begun.`))
    const [line] = await Promise.race([once(createInterface(serving.stdout), 'line'), tooSoon])
    const { url, key, control } = JSON.parse(line)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const submitted = await answerOf(`${url}/v1/video/generations`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 }),
    })
    const { task_id: id } = await submitted.json()
    await answerOf(`${control}/clock/advance`, { method: 'POST', body: '{"by":"5m"}' })
    const { data } = await (await answerOf(`${url}/v1/video/generations/${id}`, { headers })).json()
    assert.equal(data.status, 'SUCCESS')
    const video = Buffer.from(await (await answerOf(data.result_url, { headers })).arrayBuffer())
    assert.equal(video.toString('latin1', 4, 8), 'ftyp')
  } finally {
    serving.kill('SIGINT')
  }
  assert.deepEqual(await ended, [0, null])
}

/**
 * @param {string} address
 * @param {RequestInit} init
 */
async function answerOf(address, init) {
  const response = await fetch(address, init)
  assert.equal(response.status, 200, `${init.method ?? 'GET'} ${address}`)
  return response
}

function checkTypes() {
  writeFileSync(join(folder, 'consumer.mts'), consumer)
  writeFileSync(join(folder, 'consumer.cts'), commonjsConsumer)
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = compiler.replace('package.json', 'bin/tsc')
  const options = '--noEmit --strict --skipLibCheck --target es2023 --lib es2023,dom,esnext.disposable'
  for (const modules of ['--module nodenext', '--module esnext --moduleResolution bundler']) {
    run(process.execPath, [tsc, ...`${options} ${modules} consumer.mts`.split(' ')])
  }
  run(process.execPath, [tsc, ...`${options} --module nodenext consumer.cts`.split(' ')])
}
