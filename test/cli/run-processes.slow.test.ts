import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { files, folderWith, node, runScenarios as run } from './run-in-folder.ts'

it('exits with 24 where a client tries again and again without waiting, and says what to do', async () => {
  const rushing = `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
while ((await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } })).status !== 200);
`
  const outage = 'throttles: [{ id: down, match: { op: models.list }, outage: 0s..30s }]\n'
  const folder = folderWith({ 'rushing.mjs': rushing, 'story.yaml': `version: 1\n${outage}` })
  const { code, warned } = await run(folder, ['story.yaml', ...node('rushing.mjs')])
  expect(code).toBe(24)
  expect(warned).toContain(
    '1000 requests in a row were refused, or polled an unfinished task, at one instant, the last of them #1000',
  )
  expect(warned).toContain('assume: [poll, retry-after]')
})

it('exits with 24 where a client waits longer than time may move', async () => {
  const waiting = `
const { GREENROOM_URL: url } = process.env
await fetch(url + '/_greenroom/clock/sleep', { method: 'POST', body: '{"for":"2d","as":"one"}' })
`
  const folder = folderWith({
    'waiting.mjs': waiting,
    'story.yaml': 'version: 1\nclock: { participants: 1 }\n',
  })
  const { code, warned } = await run(folder, ['story.yaml', ...node('waiting.mjs')])
  expect([code, warned]).toEqual([24, expect.stringContaining('error: The run is stalled:')])
  expect(warned).toContain('limit')
})

/** A command that starts another, writes both ids, and lets no signal but the last end either. */
const stubborn = `
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
process.on('SIGTERM', () => {})
const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
const child = spawn(process.execPath, ['-e', deaf], { stdio: 'ignore' })
writeFileSync('draft', process.pid + ' ' + child.pid)
renameSync('draft', 'pids')
setInterval(() => {}, 1000)
`

/** A zombie, as in a container without an init process, counts as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout
    return !state?.startsWith('Z')
  } catch {
    return false
  }
}

async function pidsIn(folder: string): Promise<number[]> {
  const path = join(folder, 'pids')
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20))
  return readFileSync(path, 'utf8').split(' ').map(Number)
}

it('leaves no process behind when it is interrupted, however deaf they are', async () => {
  const folder = folderWith({ ...files, 'stubborn.mjs': stubborn })
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const running = run(folder, ['story.yaml', ...node('stubborn.mjs')], interrupted)
  const pids = await pidsIn(folder)
  expect(pids.map(isAlive)).toEqual([true, true])
  interrupt()
  expect((await running).code).toBe(130)
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false])
})

it.each([1, 2])(
  'leaves none behind as a process of its own, after Ctrl-C pressed %i times',
  async (presses) => {
    const folder = folderWith({ ...files, 'stubborn.mjs': stubborn })
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
    const child = spawn(process.execPath, [main, 'run', 'story.yaml', ...node('stubborn.mjs')], {
      cwd: folder,
    })
    const ended = once(child, 'exit')
    const pids = await pidsIn(folder)
    for (let press = 0; press < presses; press++) {
      child.kill('SIGINT')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect((await ended)[0]).toBe(130)
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false])
  },
)

it('stops what a command has left running behind it', async () => {
  const script = `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
child.unref()
writeFileSync('pids', String(child.pid))
`
  const folder = folderWith({ ...files, 'leaves.mjs': script })
  await run(folder, ['story.yaml', ...node('leaves.mjs')])
  const pids = await pidsIn(folder)
  await expect.poll(() => pids.map(isAlive)).toEqual([false])
})
