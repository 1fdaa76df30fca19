// Makes a video with Runway's HTTP API: node runway-client.js PROMPT
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'x-runway-version': '2024-11-06',
}

async function send(path, init = {}) {
  const response = await carefulFetch(url + path, { headers, ...init })
  const reply = await response.json()
  if (!response.ok) throw new Error(`${path}: ${reply.error ?? reply.message}`)
  return reply
}

const promptText = process.argv[2] ?? 'a red kite'
const body = JSON.stringify({ model: 'gen4.5', promptText, ratio: '1280:720', duration: 2 })
const { id } = await send('/v1/text_to_video', { method: 'POST', body })
const wait = createWait()

/** Waits for the end of the task. Each poll gives a new link. */
async function untilDone() {
  for (;;) {
    await wait()
    const task = await send(`/v1/tasks/${id}`)
    if (task.status === 'SUCCEEDED') return task.output[0]
    // THROTTLED is a task that waits for others of the account.
    if (!['PENDING', 'THROTTLED', 'RUNNING'].includes(task.status))
      throw new Error(task.failure ?? `the task is ${task.status}`)
  }
}

const maxLinks = 2
let video
for (let links = 1; video === undefined; links++)
  video = await downloadVideo(await untilDone()).catch((error) => {
    // The link has expired.
    if (error.status !== 401 || links === maxLinks) throw error
  })
console.log(`${video.length} bytes`)
