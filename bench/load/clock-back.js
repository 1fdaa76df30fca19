// The wall clock is set back by a day and by ten years, and forward again, while clients work (needs faketime).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aim, call, folder, headers, isAlive, isInstalled, load, say, serve, sleep, until } from './common.js'

const library = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)]
  .map((path) => `${path}/faketime/libfaketimeMT.so.1`)
  .find((path) => {
    try {
      return readFileSync(path).length > 0
    } catch {
      return false
    }
  })
if (!library || !isInstalled('faketime')) {
  say('skipped: faketime is not installed')
  process.exit()
}
const home = folder()
const offset = join(home, 'offset')
const config = join(home, 'greenroom.config.json')
const setClock = (/** @type {string} */ by) => writeFileSync(offset, `${by}\n`)
setClock('+0')
// Poll by poll a task is queued, then rendered; retention forgets what is older than an hour.
const timing = { queued: '1s', render: '2s' }
writeFileSync(
  config,
  JSON.stringify({ timing, retention: { age: '1h' }, keys: [{ key: 'sk-load', balance: 1_000 }] }),
)
const env = {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: offset,
  // The file is read at each call; timers of the system stay real.
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
}
const flagsOf = (/** @type {string} */ name) => [
  '--clock',
  'real',
  '--config',
  config,
  '--state',
  join(home, 'state'),
  '--journal',
  join(home, name),
  '--quality',
  'fast',
  '--cache-dir',
  'false',
]
let server = await serve(flagsOf('first.jsonl'), { env })
const clockOf = () => call(`${server.url}/_greenroom/clock`)

const problems = /** @type {string[]} */ ([])
const check = (/** @type {boolean} */ isGood, /** @type {string} */ what) => {
  if (!isGood) problems.push(what)
}
/** A whole life of a task, a stream, a poll: none may hang, fail or go back. */
async function live(/** @type {string} */ when) {
  const start = performance.now()
  const { task_id: id } = await call(`${server.url}/v1/video/generations`, { model: 'video-1', prompt: when })
  const seen = /** @type {string[]} */ ([])
  const isDone = await until(async () => {
    const { data } = await call(`${server.url}/v1/video/generations/${id}`)
    if (seen.at(-1) !== data.status) seen.push(data.status)
    return data.status === 'SUCCESS'
  }, 15_000)
  const seconds = (performance.now() - start) / 1_000
  check(isDone && seconds > 2 && seconds < 10, `${when}: ${seen.join(', ')} in ${seconds.toFixed(1)} s`)
  const chat = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Why? [[tokens 40]]' }] }
  const stream = fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(chat),
  })
  const text = await Promise.race([stream.then((response) => response.text()), sleep(10_000).then(() => '')])
  check(text.includes('[DONE]'), `${when}: a stream hangs`)
  const video = await fetch(`${server.url}/v1/videos/${id}/content`, { headers })
  check(video.status === 200 && (await video.arrayBuffer()).byteLength > 1_000, `${when}: no video`)
  return id
}

const first = await live('before')
let last = await clockOf()
const wall = last.wallTime
for (const [name, by] of /** @type {const} */ ([
  ['a day back', '-1d'],
  ['ten years back', '-3650d'],
  ['a minute forward again', '+60'],
  ['a year forward', '+365d'],
  ['back to the real time', '+0'],
])) {
  const before = performance.now()
  setClock(by)
  const { data } = await call(`${server.url}/v1/video/generations/${first}`)
  check(data.status === 'SUCCESS', `${name}: the first task is ${data.status}`)
  await live(name)
  const now = await clockOf()
  const [virtualMs, realMs] = [now.now - last.now, performance.now() - before]
  check(
    virtualMs > 0 && Math.abs(virtualMs - realMs) < 3_000,
    `${name}: time moved by ${virtualMs} ms in ${realMs.toFixed(0)} ms`,
  )
  say(`${name}: wall clock ${now.wallTime}, virtual time moved by ${virtualMs} ms in ${realMs.toFixed(0)} ms`)
  last = now
}
// A restart while the wall clock is behind what the state was written with.
setClock('-30d')
await server.stop()
server = await serve(flagsOf('second.jsonl'), { env })
const again = await clockOf()
check(again.now >= last.now, `a restart goes back from ${last.time} to ${again.time}`)
const restored = await call(`${server.url}/v1/video/generations/${first}`)
check(restored.data.status === 'SUCCESS', `after a restart the first task is ${restored.data.status}`)
await live('after a restart with the clock a month back')
const entries = ['first.jsonl', 'second.jsonl'].flatMap((name) =>
  readFileSync(join(home, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
)
const negative = /** @type {string[]} */ ([])
const walk = (/** @type {unknown} */ value, path = '') => {
  if (typeof value === 'number' && value < 0) negative.push(`${path}: ${value}`)
  else if (value && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`)
}
walk(await call(`${server.url}/_greenroom/journal`))
walk(entries)
for (const path of ['tasks', 'usage']) walk(await call(`${server.url}/_greenroom/${path}`))
for (const problem of problems) say(problem)
say(`${load()}; ${entries.length} lines of the journal; it began at ${wall}`)
aim(
  problems.length === 0,
  'tasks, streams and downloads run as before while the wall clock is set back and forth',
)
aim(
  negative.length === 0,
  `nothing is negative in journal, tasks and usage ${negative.slice(0, 5).join('; ')}`,
)
aim(
  isAlive(server) && !/\n\s+at |Error/.test(server.output()),
  `the server is well ${server.output().slice(-300)}`,
)
await server.stop()
