import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts `serve` as a program. Its files lie inside the project, so that they can import its packages. */
async function start(files: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const folder = mkdtempSync(join(root, 'node_modules', '.termination-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const words = [main, 'serve', '--port', '0', '--log', 'silent', '--cache-dir', 'false', ...flags]
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += String(bytes)))
  for await (const url of createInterface(child.stdout)) return { child, url, folder, errors: () => errors }
  throw new Error(`The server did not start: ${errors}`)
}

/** Sends a signal and waits for the end. */
async function endBy(child: ChildProcess, signal: NodeJS.Signals) {
  const began = performance.now()
  child.kill(signal)
  const [code, endedBy] = (await once(child, 'exit')) as [number | null, string | null]
  return { code, endedBy, seconds: (performance.now() - began) / 1_000 }
}

const busyHandlers = `
import { writeFileSync } from 'node:fs'
import { http } from 'msw'
export default [http.get('*/busy', () => { writeFileSync('busy', ''); for (;;); })]
`

/** Starts a server, and a request whose handler never comes back. */
async function startBusy() {
  const server = await start({ 'busy.mjs': busyHandlers }, ['--handlers', 'busy.mjs'])
  fetch(`${server.url}/busy`).catch(() => undefined)
  await expect.poll(() => existsSync(join(server.folder, 'busy')), { timeout: 10_000 }).toBe(true)
  return server
}

it.skipIf(process.platform === 'win32')(
  'ends within 5 seconds of SIGTERM while a handler keeps the event loop busy',
  async () => {
    const { child, errors } = await startBusy()

    const { code, seconds } = await endBy(child, 'SIGTERM')

    expect(code).toBe(130)
    expect(seconds).toBeLessThan(5.5)
    expect(errors()).toMatch(/warning: The server did not end within 4\.5 s of the signal/)
  },
)

it.skipIf(process.platform === 'win32')(
  'ends at once at the second signal while a handler keeps the event loop busy',
  async () => {
    const { child } = await startBusy()
    // Two signals in the same instant count as one.
    const repeated = setInterval(() => child.kill('SIGTERM'), 100)

    const { seconds } = await endBy(child, 'SIGTERM')
    clearInterval(repeated)

    expect(seconds).toBeLessThan(4)
  },
)

it.skipIf(process.platform === 'win32')(
  'ends in good order at SIGTERM, with open connections and timers of a handler',
  async () => {
    const handlers = `import { http } from 'msw'\nsetInterval(() => {}, 1000)\nexport default [http.get('*/x', () => {})]`
    const { child, url, errors } = await start({ 'own.mjs': handlers }, ['--handlers', 'own.mjs'])
    const init = { headers: { authorization: 'Bearer sk-test' } }
    await fetch(`${url}/v1/models`, init)

    expect(await endBy(child, 'SIGTERM')).toMatchObject({ code: 0, endedBy: null })
    expect(errors()).not.toContain('warning: The server did not end')
  },
)

it('reports on stderr why it could not start, with the exit code of that mistake', async () => {
  const child = spawn(process.execPath, [main, 'serve', '--port', 'x'], { cwd: tmpdir() })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += String(bytes)))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, errors]).toEqual([2, 'error: --port is "x": must be a number.\n'])
})

it.skipIf(process.platform === 'win32')(
  'ends when the npx that started it ends, which passes no signal on',
  async () => {
    const words = `"${process.execPath}" "${main}" serve --port 0 --log silent --cache-dir false; true`
    const env = { ...process.env, npm_lifecycle_script: "'greenroom'" }
    const npx = spawn('sh', ['-c', words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(npx.stdout, 'data')) as [Buffer]
    const url = String(line).trim()
    expect((await fetch(`${url}/_greenroom/health`)).status).toBe(200)

    npx.kill('SIGTERM')

    await expect
      .poll(() => fetch(url).catch(() => 'nothing listens'), { timeout: 10_000 })
      .toBe('nothing listens')
  },
)

it.skipIf(process.platform === 'win32')('ends a command that only waits at the first signal', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const child = spawn(process.execPath, [main, 'explain', '1', '--url', url], { cwd: tmpdir() })
  await once(silent, 'request')
  expect(await endBy(child, 'SIGINT')).toMatchObject({ code: 130 })
  silent.closeAllConnections()
})

it('continues after an error of a timer or a promise of handlers, and names its place', async () => {
  const handlers = `
import { http, HttpResponse } from 'msw'
export default [
  http.get('*/late', () => {
    setTimeout(() => { throw new Error('a late timer') })
    Promise.reject(new Error('a stray promise'))
    return HttpResponse.text('sent')
  }),
]`
  const { url, errors } = await start({ 'late.mjs': handlers }, ['--handlers', 'late.mjs'])

  for (const _ of [1, 2]) expect(await (await fetch(`${url}/late`)).text()).toBe('sent')

  await expect.poll(errors).toMatch(/late\.mjs:5:\d+: Code outside of any call failed: a late timer/)
  await expect.poll(errors).toMatch(/late\.mjs:6:\d+: Code outside of any call failed: a stray promise/)
})

it('ends another command with the place of such an error, and without a stack', () => {
  const folder = mkdtempSync(join(root, 'node_modules', '.termination-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(
    join(folder, 'late.mjs'),
    "setTimeout(() => { throw new Error('a late timer') })\nexport default 1\n",
  )

  const flags = ['explore', '--api', './late.mjs', '--', process.execPath, '--eval', '1']
  const { status, stderr } = spawnSync(process.execPath, [main, ...flags], { cwd: folder, encoding: 'utf8' })

  expect(status).toBe(22)
  expect(stderr).toMatch(/late\.mjs:1:\d+: Code outside of any call failed: a late timer/)
  expect(stderr).not.toContain('    at ')
})

/** Runs a command with a definition of an API, to its end. */
function runWith(definition: string, words: readonly string[]) {
  const folder = mkdtempSync(join(root, 'node_modules', '.termination-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'acme.ts'), definition)
  return spawnSync(process.execPath, [main, ...words], { cwd: folder, encoding: 'utf8' })
}

const withAcme = [
  ['check', '--api', './acme.ts'],
  ['serve', '--port', '0', '--api', './acme.ts'],
  ['run', '--api', './acme.ts', '--', process.execPath, '--eval', '1'],
]

const acme = (change: Record<string, string> = {}) => `
import { defineApi, poll, submit, z } from 'greenroom/api'
${change['top'] ?? ''}
export default defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  operations: {
    create: submit({
      route: 'POST /jobs',
      body: z.object({ text: z.string()${change['check'] ?? ''} }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({
      route: 'GET /jobs/{id}',
      reply: (job) => {
        ${change['reply'] ?? ''}
        return { id: job.id, status: job.status }
      },
    }),
  },
})
`

const client = `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
await fetch(url + '/jobs', { method: 'POST', headers, body: '{"text":"a kite"}' })
`

it.each([
  [withAcme[0]!, { top: 'for (;;);' }, ":3: The file can't be run: its code does"],
  [withAcme[0]!, { reply: 'while (job.hasSucceeded);' }, ':17: reply of acme does'],
  [
    ['run', '--api', './acme.ts', '--', process.execPath, '--input-type=module', '--eval', client],
    { check: '.refine(() => { for (;;); })' },
    ':10: body of acme.create does',
  ],
])(
  'ends %s with the place if code of a definition never ends: %s',
  { timeout: 60_000 },
  (words, change, message) => {
    const { status, stderr } = runWith(acme(change), words)
    expect(stderr).toContain(`acme.ts${message} not end within 5 s of processor time.`)
    expect(status).toBe(24)
  },
)

it('ends a server whose definition never ends, and names the function', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(root, 'node_modules', '.termination-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'acme.ts'), acme({ check: '.refine(() => { for (;;); })' }))
  const server = spawn(process.execPath, [main, ...withAcme[1]!], { cwd: folder })
  let [printed, warned] = ['', '']
  server.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
  server.stderr.on('data', (chunk: Buffer) => (warned += String(chunk)))
  const ended = once(server, 'exit')
  await expect.poll(() => printed, { timeout: 20_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)!
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  await fetch(`${url}/jobs`, { method: 'POST', headers, body: '{"text":"a kite"}' }).catch(() => {})
  expect(await ended).toEqual([24, null])
  expect(warned).toContain('acme.ts: body of acme.create does not end within 5 s of processor time.')
})

it.each(withAcme)('ends %s with a message if a definition calls process.exit', (...words) => {
  const { status, stderr } = runWith('export {}\nprocess.exit(0)\n', words)
  expect(status).toBe(22)
  expect(stderr).toMatch(
    /^.*acme\.ts:2: The file can't be run: process\.exit\(0\) was called\. Throw an error instead\.$/m,
  )
})

it('ends a command with a message if a timer of a definition calls process.exit', () => {
  const { status, stderr } = runWith('setTimeout(() => process.exit(0))\nexport default 1\n', withAcme[2]!)
  expect(status).toBe(22)
  expect(stderr).toMatch(/acme\.ts:1:\d+: Code outside of any call failed: process\.exit\(0\) was called/)
})
