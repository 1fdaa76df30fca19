import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { folderWith, never, runIn } from './run-in-folder.ts'

/** How many more runs can be watched. */
const runs = vi.hoisted(() => ({ left: Infinity }))

vi.mock('../../src/cli/run/client-hints.ts', async (load) => {
  const original = await load<typeof import('../../src/cli/run/client-hints.ts')>()
  const watchRealSleeps: typeof original.watchRealSleeps = (journal) => {
    if (runs.left-- <= 0) throw new Error('the run can not be watched')
    return original.watchRealSleeps(journal)
  }
  return { ...original, watchRealSleeps }
})

/** A client that notes its process, then makes a request and never ends if the gateway does something wrong. */
const stubborn = (isGood: boolean): string => `
import { appendFileSync } from 'node:fs'
process.on('SIGTERM', () => {})
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const response = await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } }).catch(() => ({ ok: false }))
if (!response.ok || !${isGood}) {
  appendFileSync('pids', process.pid + '\\n')
  for (;;);
}
`

const serversOf = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap' || name === 'ProcessWrap').length

it('ends at an error of one run, with all servers and processes of the others', async () => {
  const folder = folderWith({ 'client.mjs': stubborn(true) })
  const before = serversOf()
  runs.left = 3
  onTestFinished(() => void (runs.left = Infinity))
  const line = ['explore', '--jobs', '2', '--budget', '5m', '--', process.execPath, 'client.mjs']
  const { code, warned } = await runIn(folder, line, { interrupted: never })
  expect(warned).toMatch(/^error: Failed to explore ".+": the run can not be watched$/m)
  expect(code).toBe(23)
  await expect.poll(serversOf).toBe(before)
}, 180_000)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts the program, and signals it when a client is blocked. */
async function interruptBlocked(isGood: boolean, signal: NodeJS.Signals) {
  const folder = folderWith({ 'client.mjs': stubborn(isGood) })
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const words = [main, 'explore', '--jobs', '2', '--budget', '5m', '--', process.execPath, 'client.mjs']
  const child: ChildProcess = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { printed: '', warned: '' }
  child.stdout!.on('data', (bytes: Buffer) => (output.printed += String(bytes)))
  child.stderr!.on('data', (bytes: Buffer) => (output.warned += String(bytes)))
  await expect.poll(() => existsSync(join(folder, 'pids')), { timeout: 30_000 }).toBe(true)
  const began = performance.now()
  child.kill(signal)
  const [code] = (await once(child, 'close')) as [number | null]
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)
  return { ...output, code, seconds: (performance.now() - began) / 1_000, isLeft: pids.some(isAlive) }
}

it.skipIf(process.platform === 'win32')(
  'ends soon after SIGTERM though clients block and ignore it, and says that nothing was tried',
  async () => {
    const { code, printed, seconds, isLeft } = await interruptBlocked(true, 'SIGTERM')
    expect(printed).toMatch(/not tried \(\?\): \d+ schedules/)
    expect(code).toBe(26)
    expect(seconds).toBeLessThan(10)
    expect(isLeft).toBe(false)
  },
  60_000,
)

it.skipIf(process.platform === 'win32')(
  'ends soon after SIGINT during the first run',
  async () => {
    const { code, warned, seconds, isLeft } = await interruptBlocked(false, 'SIGINT')
    expect(warned).toMatch(/^error: Interrupted before the client had run without a fault: /m)
    expect(code).toBe(130)
    expect(seconds).toBeLessThan(10)
    expect(isLeft).toBe(false)
  },
  60_000,
)

it('names a client that sends nothing in its second run, as one with a cache does', async () => {
  const cached = `
import { existsSync, writeFileSync } from 'node:fs'
if (!existsSync('cache')) {
  ${stubborn(true).replace(/^import .*$/m, '')}
  writeFileSync('cache', '')
}
`
  const folder = folderWith({ 'client.mjs': cached })
  const line = ['explore', '--', process.execPath, 'client.mjs']
  const { code, warned } = await runIn(folder, line, { interrupted: never })
  expect(warned).toContain('none in its second')
  expect(warned).toContain("--env 'MY_STATE_DIR=${runDir}'")
  expect(warned).not.toContain('No requests reached')
  expect(code).toBe(25)
}, 180_000)
