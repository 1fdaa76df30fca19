// @ts-nocheck
// A worker that makes three videos at once, and continues after a crash. It prints a line for each video when that is done, so
// their order differs. The first argument plants a bug; without it, the worker is careful.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const { GREENROOM_URL: url, GREENROOM_KEY: key, GREENROOM_RUN_DIR: folder } = process.env
const bug = process.argv[2]
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
mkdirSync(folder, { recursive: true })

const stateOf = (name) => {
  const path = `${folder}/${name}.json`
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}
const store = (name, state) => {
  writeFileSync(`${folder}/${name}.tmp`, JSON.stringify(state))
  renameSync(`${folder}/${name}.tmp`, `${folder}/${name}.json`)
}

class Refusal extends Error {}

/** Sends a request. What the gateway refuses for a while is repeated, and what was lost if that costs nothing. */
async function send(path, { check = () => true, ...init } = {}) {
  const isSafe = init.method !== 'POST' || bug === 'submits-again'
  for (let attempt = 1; ; attempt++) {
    let wait = 1_000 * 2 ** attempt
    try {
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(bug !== 'no-deadline' && { signal: AbortSignal.timeout(60_000) }),
        ...init,
      })
      if (!response.ok) {
        const isFinal = response.status < 500 && response.status !== 429
        const after = response.headers.get('retry-after')
        wait = Math.max(wait, after ? Number(after) * 1_000 || Date.parse(after) - Date.now() : 0)
        throw new Refusal(`${path} returned ${response.status}`, { cause: isFinal ? 'final' : 'passing' })
      }
      const bytes = Buffer.from(await response.arrayBuffer())
      if (!check(bytes, response.headers)) throw new Error(`${path} returned something else`)
      return bytes
    } catch (error) {
      if (error.cause === 'final' || attempt === 5) throw error
      if (bug === 'gives-up' && init.method === undefined) throw error
      if (!isSafe && !(error instanceof Refusal)) throw new Error(`may have been submitted: ${error.message}`)
    }
    await sleep(wait)
  }
}

const isJson = (bytes) => {
  try {
    return typeof JSON.parse(bytes.toString()) === 'object'
  } catch {
    return false
  }
}

async function submit(prompt) {
  const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
  const bytes = await send('/v1/video/generations', { method: 'POST', body, check: isJson })
  return JSON.parse(bytes.toString()).task_id
}

async function follow(id) {
  for (const until = Date.now() + 15 * 60_000; Date.now() < until;) {
    await sleep(5_000)
    const { data } = JSON.parse((await send(`/v1/video/generations/${id}`, { check: isJson })).toString())
    if (data.status === 'SUCCESS') return
    if (data.status === 'FAILURE')
      throw new Error(`the task failed: ${data.fail_reason || 'no reason given'}`)
  }
  throw new Error('the task takes too long')
}

const isVideo = (bytes, headers) =>
  bug === 'keeps-anything' ||
  (bytes.subarray(4, 8).toString() === 'ftyp' &&
    (headers.get('content-length') === null || Number(headers.get('content-length')) === bytes.length))

async function make(name, prompt) {
  const state = stateOf(name)
  if (state.done) return
  let { id } = state
  if (!id) {
    if (state.submitting && bug !== 'forgets-the-task')
      throw new Error('may have been submitted: look for its task')
    store(name, { submitting: true })
    id = await submit(prompt)
    if (bug !== 'forgets-the-task') store(name, { id })
  }
  await follow(id)
  const bytes = await send(`/v1/videos/${id}/content`, { check: isVideo })
  writeFileSync(`${folder}/${name}.mp4`, bytes)
  store(name, { id, done: true })
  console.log(`${prompt}: ${bytes.length} bytes`)
}

const jobs = { kite: 'a red kite', boat: 'a paper boat', bear: 'a blue bear' }
const ends = await Promise.allSettled(Object.entries(jobs).map(([name, prompt]) => make(name, prompt)))
const failed = ends.flatMap(({ reason }, index) =>
  reason ? `${Object.keys(jobs)[index]}: ${reason.message}` : [],
)
for (const line of failed) console.error(line)
if (failed.length > 0 && bug !== 'swallows-failures') process.exitCode = 1
