// Makes a video by Kling's HTTP API: node kling-client.js PROMPT
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(path, init = {}) {
  const response = await carefulFetch(url + path, { headers, ...init })
  const { code, message, data } = await response.json()
  if (!response.ok || code !== 0) throw new Error(`${path}: ${message}`)
  return data
}

const body = JSON.stringify({ prompt: process.argv[2] ?? 'a red kite' })
const { task_id: id } = await send('/v1/videos/text2video', { method: 'POST', body })
const wait = createWait()
let task
do {
  await wait()
  task = await send(`/v1/videos/text2video/${id}`)
  if (task.task_status === 'failed') throw new Error(task.task_status_msg || 'the video failed')
} while (task.task_status !== 'succeed')
const video = await downloadVideo(task.task_result.videos[0].url)
console.log(`${video.length} bytes`)
