// Makes music with the HTTP API of sunoapi.org: node suno-client.js PROMPT
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(path, init = {}) {
  const response = await carefulFetch(`${url}/api/v1/generate${path}`, { headers, ...init })
  const { code, msg, message, data } = await response.json()
  if (!response.ok || code !== 200) throw new Error(`${path}: ${msg ?? message}`)
  return data
}

const body = JSON.stringify({
  prompt: process.argv[2] ?? 'a sea shanty',
  customMode: false,
  instrumental: false,
  model: 'V4_5',
  // The API requires it. This client polls.
  callBackUrl: 'https://app.example/hooks/suno',
})
let { taskId } = await send('', { method: 'POST', body })
const wait = createWait()
let task
do {
  await wait()
  task = await send(`/record-info?taskId=${taskId}`)
  // CALLBACK_EXCEPTION says only that a callback failed.
  if (/_FAILED$|_ERROR$/.test(task.status)) throw new Error(task.errorMessage ?? `the task is ${task.status}`)
} while (task.status !== 'SUCCESS')
for (const { audioUrl } of task.response.sunoData) {
  const music = await downloadVideo(audioUrl)
  console.log(`${music.length} bytes`)
}
