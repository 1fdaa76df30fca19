import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createRunFolder } from '../../src/cli/run/child.ts'
import { folderWith, never as interrupted, node, runIn, type Ran } from './run-in-folder.ts'

/** Notes each start, keeps the id of its task in a file, and starts a child that would outlive it. */
const client = `
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
const { GREENROOM_URL: url, GREENROOM_KEY: key, GREENROOM_RUN_DIR: folder } = process.env
appendFileSync('starts.txt', process.pid + ' ' + folder + ' ' + existsSync(join(folder, 'id')) + '\\n')
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' })
child.unref()
appendFileSync('children.txt', child.pid + '\\n')
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 })
const file = join(folder, 'id')
if (!existsSync(file)) {
  const response = await fetch(url + '/v1/video/generations', { method: 'POST', headers, body })
  writeFileSync(file, (await response.json()).task_id)
}
const id = readFileSync(file, 'utf8')
console.log('follows ' + id)
for (;;) {
  const { data } = await (await fetch(url + '/v1/video/generations/' + id, { headers })).json()
  if (data.status === 'SUCCESS') break
}
await (await fetch(url + '/v1/videos/' + id + '/content', { headers })).arrayBuffer()
child.kill('SIGKILL')
`

const story = (crash: string, expected = '{}'): string =>
  `version: 1\nconfig: { cacheDir: false }\ncrash: ${crash}\nexpect: ${expected}\n`

async function play(crash: string, expected?: string): Promise<Ran> {
  const folder = folderWith({ 'client.mjs': client, 'story.yaml': story(crash, expected) })
  return runIn(folder, ['run', 'story.yaml', ...node('client.mjs')], { interrupted })
}

const linesOf = (folder: string, name: string): string[] =>
  readFileSync(join(folder, name), 'utf8').trim().split('\n')

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('starts the command again with the same folder, which is removed in the end', async () => {
  const twice = '[{ op: video.poll, nth: 1 }, { op: video.content, nth: 1, accepted: true }]'
  const expected = '{ tasks: [{ count: 1 }], command: { stdout: { contains: follows } }, artifacts: [{ kind: video, downloaded: intact }] }' // prettier-ignore
  const { code, folder, printed, warned } = await play(twice, expected)
  expect(printed).toContain('✓ artifacts')
  expect(code).toBe(0)
  const starts = linesOf(folder, 'starts.txt').map((line) => line.split(' '))
  expect(starts.map(([, , hadId]) => hadId)).toEqual(['false', 'true', 'true'])
  expect(new Set(starts.map(([, path]) => path)).size).toBe(1)
  expect(existsSync(starts[0]![1]!)).toBe(false)
  expect(warned).toContain('crash: the command was killed at video.poll 1, and is started again\n')
  expect(warned).toContain('killed at video.content 1 (accepted)')
})

it('kills the processes that the command has started with it', async () => {
  const { folder } = await play('[{ op: video.poll, nth: 2 }]')
  const [first] = linesOf(folder, 'children.txt').map(Number)
  await expect.poll(() => isRunning(first!)).toBe(false)
})

it('counts a request that was accepted before the crash, and not one that was lost', async () => {
  const once = (accepted: boolean): string => `[{ op: video.submit, nth: 1, accepted: ${accepted} }]`
  const lost = await play(
    once(false),
    '{ tasks: [{ count: 1 }], requests: [{ op: video.submit, count: 1 }] }',
  )
  expect(lost.code).toBe(0)
  const accepted = await play(once(true), '{ tasks: [{ count: 2 }], spend: { max: 0.16 } }')
  expect(accepted.code).toBe(0)
  expect(accepted.printed).toContain('for $0.16')
})

it('fails if a crash never happens', async () => {
  const { code, printed } = await play('[{ op: video.content, nth: 3 }]')
  expect(code).toBe(20)
  expect(printed).toContain('✗ run: crashes at video.content 3')
  expect(printed).toContain('the client sent 1 such request')
})

it('needs a command', async () => {
  const drive = `${story('[{ op: video.poll, nth: 1 }]')}drive: [{ flow: video }]\n`
  const folder = folderWith({ 'story.yaml': drive })
  const { code, warned } = await runIn(folder, ['run', 'story.yaml'], { interrupted })
  expect([code, warned]).toEqual([2, expect.stringContaining('has crash, which only a command can')])
  const explored = await runIn(folder, ['explore', '--crash', 'story.yaml'], { interrupted })
  expect([explored.code, explored.warned]).toEqual([2, expect.stringContaining('--crash kills a command')])
})

it('leaves a folder that has taken the place of its own', async () => {
  const { path, remove } = await createRunFolder()
  writeFileSync(join(path, 'queue.json'), '[]')
  await remove()
  expect(existsSync(path)).toBe(false)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'mine.txt'), 'mine')
  await remove()
  expect(readdirSync(path)).toEqual(['mine.txt'])
  rmSync(dirname(path), { recursive: true })
})
