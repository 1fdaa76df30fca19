import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { hostTimers } from '../../src/engine/clock/timers/host-timers.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const files = { 'story.yaml': 'version: 1\nconfig: { cacheDir: false }\n' }

/** Each would keep the process from ending. @returns what tells the delays of the timers that have yet to ring. */
function watchTimers(): () => number[] {
  const { setTimeout, clearTimeout } = hostTimers
  const waiting = new Map<unknown, number>()
  vi.spyOn(hostTimers, 'setTimeout').mockImplementation((ring, delayMs = 0) => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      ring()
    }, delayMs)
    waiting.set(timer, delayMs)
    return timer
  })
  vi.spyOn(hostTimers, 'clearTimeout').mockImplementation((timer) => {
    waiting.delete(timer)
    clearTimeout(timer)
  })
  return () => [...waiting.values()]
}

afterEach(() => void vi.restoreAllMocks())

it.each([
  ['run of a command', ['run', 'story.yaml', '--', process.execPath, '-e', '0'], 25],
  ['run of a command that is not there', ['run', 'story.yaml', '--', 'no-such-program'], 2],
  ['run without a scenario', ['run', '--', process.execPath, '-e', '0'], 25],
  ['run without a scenario of a command that is not there', ['run', '--', 'no-such-program'], 2],
])('is over at once behind the %s', async (_what, words, code) => {
  const folder = folderWith(files)
  const waiting = watchTimers()
  expect((await runIn(folder, words, { interrupted: new Promise(() => {}) })).code).toBe(code)
  expect(waiting()).toEqual([])
})

it('is over, too, behind a reference client that waits for what never comes', async () => {
  const folder = folderWith({
    'story.yaml': `${files['story.yaml']}clock: { limit: 10s }\ndrive: [{ flow: video }]\n`,
  })
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'run', 'story.yaml'], { cwd: folder, stdio: 'ignore' })
  try {
    expect((await once(child, 'exit'))[0]).toBe(24)
  } finally {
    child.kill('SIGKILL')
  }
})

/** Leaves a zombie: a process that has ended, whose parent never waits for it because it moved to another session. */
const leaves = "sh -c 'sleep 0.1 & echo $$ > pid; exec setsid sleep 60' & sleep 0.5"

it.skipIf(process.platform !== 'linux' || spawnSync('setsid', ['true']).status !== 0)(
  'ends although no process reaps an orphan of the command',
  async () => {
    const folder = folderWith(files)
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
    const child = spawn(
      process.execPath,
      [main, 'run', '--no-strict', 'story.yaml', '--', 'sh', '-c', leaves],
      {
        cwd: folder,
        stdio: 'ignore',
      },
    )
    try {
      expect((await once(child, 'exit'))[0]).toBe(0)
    } finally {
      child.kill('SIGKILL')
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')))
    }
  },
)

it('stops a client in a tool loop, and names the mistake', async () => {
  const folder = folderWith({
    'story.yaml': `${files['story.yaml']}rules: [{ match: { op: chat.complete }, answer: { calls: always } }]\n`,
  })
  const agent = fileURLToPath(
    new URL('../judge/explore/planted/command/answers-tool-calls-without-end.mjs', import.meta.url),
  )
  const words = ['run', 'story.yaml', '--', process.execPath, agent]
  const { code, printed, warned } = await runIn(folder, words, { interrupted: new Promise(() => {}) })
  expect(code).toBe(24)
  const why =
    'chat.complete called get_weather in round 101 of tool calls for one prompt: the client never ends this loop'
  expect(warned).toContain(`error: The run is stalled: ${why}`)
  expect(printed).toContain(`✗ run: completes\n      ${why}`)
})

/** Streams a chat, repeats one that was cut, stops at the last event, and ends its process at once. */
const streamReader = `
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'paper boats' }]
const body = JSON.stringify({ model: 'sim-text-1', stream: true, messages })
async function stream() {
  const response = await fetch(url + '/v1/chat/completions', { method: 'POST', headers, body })
  let [text, rest] = ['', '']
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\\n')
    rest = lines.pop()
    for (const line of lines) {
      if (line === 'data: [DONE]') return text
      if (line.startsWith('data: ')) text += JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? ''
    }
  }
  throw new Error('cut')
}
const sleep = (ms) => fetch(url + '/_greenroom/clock/sleep', { method: 'POST', body: JSON.stringify({ for: ms }) })
let text
while (text === undefined) text = await stream().catch(() => sleep(2_000).then(() => undefined))
console.log(text)
process.exit(0)
`

const boat = `version: 1
name: a stream that is cut, then one in pieces that split characters
rules:
  - { id: cut, match: { op: chat.complete }, on: 1, stream: { text: 'Ein Boot für dich: 纸船 ⛵', chunk: word, cut: { afterChunk: 3 } } }
  - { id: split, match: { op: chat.complete }, stream: { text: 'Ein Boot für dich: 纸船 ⛵', chunk: word, firstToken: 2s, gap: 1s }, fault: split-character }
expect:
  requests:
    - { op: chat.complete, count: 2 }
    - { op: chat.complete, nth: 2, stream: { ended: finished } }
  always: [backs-off, reads-stream-to-end]
  command: { stdout: { contains: 'Ein Boot für dich: 纸船 ⛵' } }
`

it('judges a stream that the client has read to its last event, although its process ends at once', async () => {
  const folder = folderWith({ 'client.mjs': streamReader, 'boat.yaml': boat })
  const words = ['run', '--strict', '--report', 'json=report.json', 'boat.yaml']
  const line = [...words, '--', process.execPath, 'client.mjs']
  const { code, printed } = await runIn(folder, line, { interrupted: new Promise(() => {}) })
  expect(printed).not.toContain('open')
  expect(code).toBe(0)
  const { verdicts } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as {
    verdicts: { elapsedMs: number }[]
  }
  // Two seconds before the retry, two until the first word, and one between two words.
  expect(verdicts[0]!.elapsedMs).toBeGreaterThan(6_000)
})
