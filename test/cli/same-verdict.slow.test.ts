import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runStopped, type Stopped } from '../support/stopped-at-random.ts'
import { folderWith } from './run-in-folder.ts'

const resolve = (name: string): string => JSON.stringify(import.meta.resolve(name))

const library = `
import { setTimeout as sleep } from 'node:timers/promises'
const headers = { authorization: 'Bearer ' + process.env.GREENROOM_KEY, 'content-type': 'application/json' }
async function call(path, init = {}) {
  for (let attempt = 0; ; attempt++) {
    const wait = 1_000 * 2 ** attempt
    try {
      const signal = AbortSignal.timeout(60_000)
      const response = await fetch(process.env.GREENROOM_URL + path, { ...init, headers, signal })
      const body = new Uint8Array(await response.arrayBuffer())
      if (response.ok) return body
      if (attempt === 5) throw new Error('status ' + response.status)
      await sleep(1_000 * Number(response.headers.get('retry-after') ?? 0) || wait)
    } catch (error) {
      if (attempt === 5) throw error
      await sleep(wait)
    }
  }
}
const json = async (...words) => JSON.parse(new TextDecoder().decode(await call(...words)))
export async function makeVideo(prompt) {
  const { task_id } = await json('/v1/video/generations', { method: 'POST', body: JSON.stringify({ model: 'sora-2', prompt }) })
  for (;;) {
    await sleep(5_000)
    const { data } = await json('/v1/video/generations/' + task_id)
    if (data.status === 'FAILURE') throw new Error(data.fail_reason)
    if (data.status === 'SUCCESS') break
  }
  return task_id + ' ' + (await call('/v1/videos/' + task_id + '/content')).length
}
`

const videos = `
import { makeVideo } from './library.mjs'
const start = Date.now()
const count = Number(process.argv[2])
const made = await Promise.all(Array.from({ length: count }, (_, index) => makeVideo('a kite ' + count + index)))
console.log(made.join(), Date.now() - start)
`

const faults = `
version: 1
rules:
  - { match: { op: video.submit }, on: 1, delay: 20s }
  - { match: { op: video.poll }, on: 1, respond: { status: 429, retryAfter: 7s } }
  - { match: { op: video.poll }, on: 2, fault: reset }
  - { match: { op: video.poll }, on: 3, fault: hang }
  - { match: { op: video.content }, on: 1, fault: truncate }
`

const stream = `
import OpenAI from ${resolve('openai')}
const client = new OpenAI({ maxRetries: 3, timeout: 30_000 })
const messages = [{ role: 'user', content: 'Tell me of kites' }]
const pieces = []
const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })
for await (const { choices } of stream) {
  pieces.push(choices[0]?.delta?.content)
  if (pieces.length === Number(process.argv[2])) break
}
const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages })
console.log(pieces.join(''), choices[0].message.content, Date.now())
`

const chatFaults = `
version: 1
rules:
  - { match: { op: chat.complete }, on: 1, respond: { status: 503 } }
  - { match: { op: chat.complete }, on: 3, delay: 40s }
`

const parent = `
import { execFile, execFileSync, spawn } from 'node:child_process'
import { promisify } from 'node:util'
const tooLate = setTimeout(() => { console.log('too late'); process.exit(3) }, 600_000)
const { stdout } = await promisify(execFile)(process.execPath, ['videos.mjs', '1'])
clearTimeout(tooLate)
console.log(stdout, execFileSync(process.execPath, ['videos.mjs', '2']).toString(), Date.now())
`

const thread = `
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { makeVideo } from './library.mjs'
const run = (prompt) => new Promise((resolve, reject) => {
  new Worker(new URL(import.meta.url), { workerData: prompt }).once('message', resolve).once('error', reject)
})
if (isMainThread) {
  const tooLate = setTimeout(() => process.exit(3), 600_000)
  console.log((await Promise.all([run('a kite'), run('two kites')])).join(), Date.now())
  clearTimeout(tooLate)
} else parentPort.postMessage(await makeVideo(workerData))
`

const hourly = fileURLToPath(new URL('../python/programs/hourly.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

const files = {
  'library.mjs': library,
  'videos.mjs': videos,
  'stream.mjs': stream,
  'parent.mjs': parent,
  'thread.mjs': thread,
  'two.sh': 'node videos.mjs 1 >one.txt & node videos.mjs 2 >two.txt & wait; cat one.txt two.txt',
  'mixed.sh': `python3 '${hourly}' >one.txt & node videos.mjs 1 >two.txt & wait; cat one.txt two.txt`,
  'faults.yaml': faults,
  'chat.yaml': chatFaults,
}

const clients: readonly (readonly [name: string, file: string, command: readonly string[]])[] = [
  ['fetch with time-outs', 'faults.yaml', [process.execPath, 'videos.mjs', '1']],
  ['five videos at once', 'faults.yaml', [process.execPath, 'videos.mjs', '5']],
  ['a stream of an SDK', 'chat.yaml', [process.execPath, 'stream.mjs']],
  ['a stream that an SDK leaves', 'chat.yaml', [process.execPath, 'stream.mjs', '12']],
  ['a parent with children', 'faults.yaml', [process.execPath, 'parent.mjs']],
  ['worker threads', 'faults.yaml', [process.execPath, 'thread.mjs']],
  ['two processes side by side', 'faults.yaml', ['sh', 'two.sh']],
  ...(hasPython
    ? [['a Python program next to one in Node', 'faults.yaml', ['sh', 'mixed.sh']] as const]
    : []),
]

/** `either` is both in turns. One client is enough to tell them apart. */
const stopsOf = (file: string, words: readonly string[]): readonly Stopped[] =>
  file === 'faults.yaml' && words.at(-1) === '1' ? ['the client', 'the server'] : ['either']

// All at the same time, because a stopped process leaves the machine to others.
it.each(clients)(
  'prints the same and reports the same bytes, whichever process the machine stops: %s',
  { timeout: 240_000, concurrent: true },
  async (_name, file, command) => {
    const words = ['run', '--virtual-timers', file, '--report', 'json=report.json', '--', ...command]
    const run = (stopped: Stopped) => runStopped(folderWith(files), words, stopped)
    const stops = stopsOf(file, command)
    const [first, ...others] = await Promise.all((['nothing', ...stops] as const).map(run))
    for (const [index, other] of others.entries()) expect(other, stops[index]).toEqual(first)
  },
)

const example = (name: string): string =>
  JSON.stringify(new URL(`../../examples/vitest/${name}`, import.meta.url).href)

/** Clients that handle every fault, with the faults that are tried. */
const careful: Readonly<Record<string, readonly [program: string, only: readonly string[]]>> = {
  'a video': [
    `import { makeVideo } from ${example('video.js')}
    const { GREENROOM_URL: baseUrl, GREENROOM_KEY: key } = process.env
    console.log((await makeVideo('a red kite', { baseUrl, key })).bytes.length)`,
    ['hang', 'truncate'],
  ],
  'three videos at once': [
    `import { makeVideo } from ${example('video.js')}
    const { GREENROOM_URL: baseUrl, GREENROOM_KEY: key } = process.env
    const made = await Promise.all(['a kite', 'a boat', 'a fox'].map((prompt) => makeVideo(prompt, { baseUrl, key })))
    console.log(made.map(({ bytes }) => bytes.length).join())`,
    ['429 seconds'],
  ],
  'a streamed text': [
    `import { talk } from ${example('talk.js')}
    const { GREENROOM_URL: baseUrl, GREENROOM_KEY: key } = process.env
    console.log(await talk('Why do kites fly?', { baseUrl, key, timeoutMs: 900_000 }))`,
    ['stream', 'bytes', 'rate limit'],
  ],
}

it.each(Object.entries(careful))(
  'accuses no careful client, whichever process the machine stops: %s',
  { timeout: 240_000, concurrent: true },
  async (_name, [program, only]) => {
    const tried = only.flatMap((name) => ['--only', name])
    const reports = ['--report', 'json=report.json']
    const words = ['explore', '--virtual-timers', ...tried, ...reports, '--', process.execPath, 'client.mjs']
    const run = (stopped: Stopped) => runStopped(folderWith({ 'client.mjs': program }), words, stopped)
    const [first, other] = await Promise.all((['nothing', 'either'] as const).map(run))
    expect(first).toMatchObject({ code: 0, printed: expect.stringMatching(/found nothing\n$/) as string })
    expect(other).toEqual(first)
  },
)
