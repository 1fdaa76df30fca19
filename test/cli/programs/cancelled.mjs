// @ts-nocheck
// The user stops a prediction after ten seconds. The client cancels it, and says what became of it.
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends a request. What is safe to repeat is repeated a few times. */
async function call(path, { isSafe = true, ...init } = {}) {
  for (let attempt = 1; ; attempt++) {
    let canRepeat = isSafe
    let wait = 1_000 * 2 ** attempt
    try {
      const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(60_000), ...init })
      if (response.ok) return await response.json()
      canRepeat = response.status === 429 || response.status >= 500
      const after = response.headers.get('retry-after') ?? '0'
      wait = Math.max(wait, Number(after) * 1_000 || Date.parse(after) - Date.now() || 0)
      throw new Error(`${path} returned ${response.status}`)
    } catch (error) {
      if (!canRepeat || attempt === 5) throw error
    }
    await sleep(wait)
  }
}

const stop = AbortSignal.timeout(10_000)
const body = JSON.stringify({ input: { prompt: 'a red kite', duration: 5 } })
const isOpen = ({ status }) => status === 'starting' || status === 'processing'
const path = '/v1/models/kling/kling-v2-video/predictions'
let job = await call(path, { method: 'POST', body, isSafe: false })
for (const until = Date.now() + 30 * 60_000; isOpen(job) && !stop.aborted;) {
  if (Date.now() > until) throw new Error(`the prediction ${job.id} is not ready`)
  await sleep(6_000)
  job = await call(`/v1/predictions/${job.id}`)
}
if (isOpen(job)) job = await call(`/v1/predictions/${job.id}/cancel`, { method: 'POST' })
if (job.status === 'failed') throw new Error(`the prediction failed: ${job.error}`)
console.log(`the prediction is ${job.status}`)
