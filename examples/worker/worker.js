// A worker to copy: makes videos from a queue in one file. It may be killed at any moment; started again, it goes on. Each comment says
// what a good worker does, and why.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { GREENROOM_URL: baseUrl = 'http://127.0.0.1:4646', GREENROOM_KEY: key = 'sk-greenroom' } = process.env
const { GREENROOM_RUN_DIR: folder = '.' } = process.env
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

/** Writes a file so that a crash leaves the old one or the new one, never half of it. */
function save(name, content) {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

const hasQueue = existsSync(join(folder, 'queue.json'))
const jobs = hasQueue
  ? JSON.parse(readFileSync(join(folder, 'queue.json'), 'utf8'))
  : process.argv.slice(2).map((prompt) => ({ prompt, state: 'waiting' }))

/** Stores the state of a job before the next step, so that the next process can go on from there. */
function update(job, change) {
  Object.assign(job, change)
  save('queue.json', JSON.stringify(jobs, undefined, 2))
}

/** Retries what may pass (429, 5xx). A 401 or 404 stays the same, however often you retry. */
class ResponseError extends Error {
  constructor(what, { status, headers }) {
    super(`${what} returned ${status}`)
    this.status = status
    this.isTemporary = status === 429 || status >= 500
    const after = headers.get('retry-after') ?? '0'
    const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
    this.retryAfterMs = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - sentAt || 0
  }
}

/** Limits the time of one request: a response may never come. */
async function send(what, url, init) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000), ...init })
  if (!response.ok) throw new ResponseError(what, response)
  return response
}

/** Waits longer after each failure, and at least as long as Retry-After says. */
async function retry(job, attempt, canRetry = (error) => error.isTemporary !== false) {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures === 5 || !canRetry(error)) throw error
      await wait(job, Math.max(1_250 * 2 ** failures, error.retryAfterMs ?? 0))
    }
  }
}

/** Stops waiting at a deadline: a task may never end. The job stays as it is, for the next start. */
async function wait(job, ms) {
  if (Date.now() + ms > job.until)
    throw new Error(`task ${job.id ?? ''} has not ended in time; it may still cost`)
  await sleep(ms)
}

/** Submits again only what was refused. Without a response, only the gateway knows whether the task exists. */
async function submit(job) {
  update(job, { state: 'submitting', until: Date.now() + 600_000 })
  const body = JSON.stringify({ model: 'video-1', prompt: job.prompt, duration: 1, size: '128x96' })
  const post = async () => {
    const response = await send('the submission', `${baseUrl}/v1/video/generations`, { method: 'POST', body })
    return (await response.json()).task_id
  }
  try {
    const id = await retry(job, post, (error) => error.isTemporary === true)
    update(job, { state: 'running', id })
  } catch (error) {
    if (error instanceof ResponseError) update(job, { state: 'waiting' })
    throw error
  }
}

/** Polls every 5 s until the task ends. */
async function follow(job) {
  for (;;) {
    await wait(job, 5_000)
    const url = `${baseUrl}/v1/video/generations/${job.id}`
    const { data } = await retry(job, async () => (await send('the poll', url)).json())
    if (data.status === 'FAILURE')
      return update(job, { state: 'failed', reason: data.fail_reason || 'no reason' })
    if (data.status === 'SUCCESS') return update(job, { state: 'ready', url: data.result_url })
  }
}

/** Verifies the download, and downloads again what arrived damaged. */
async function download(job, name) {
  const bytes = await retry(job, async () => {
    const response = await send('the download', job.url)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isMp4 = Buffer.from(bytes.subarray(4, 8)).toString() === 'ftyp'
    const [, digest] = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '') ?? []
    const isWhole = digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest
    if (!isMp4 || !isWhole) throw new Error(`the video of ${job.id} arrived damaged`)
    return bytes
  })
  save(name, bytes)
  update(job, { state: 'done' })
}

/** A link may have expired since the poll that returned it: the next poll gives a new one. */
async function downloadOrRenew(job, name) {
  try {
    await download(job, name)
  } catch (error) {
    if (error.status !== 403 && error.status !== 404) throw error
    await follow(job)
    await download(job, name)
  }
}

async function work(job, name) {
  // The process before this one was killed while it submitted: look the task up before you pay twice.
  if (job.state === 'submitting')
    throw new Error('it may have been submitted; look for its task at the gateway')
  if (job.state === 'waiting') await submit(job)
  if (job.state === 'running') await follow(job)
  if (job.state === 'ready') await downloadOrRenew(job, name)
  if (job.state === 'failed') throw new Error(job.reason)
}

for (const [index, job] of jobs.entries()) {
  try {
    await work(job, `video-${index + 1}.mp4`)
  } catch (error) {
    // The exit code and the reason tell the caller of the worker.
    console.error(`job ${index + 1} failed: ${error.message}`)
    process.exitCode = 1
  }
}
console.log(`${jobs.filter(({ state }) => state === 'done').length} of ${jobs.length} videos are done`)
