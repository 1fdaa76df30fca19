import { createSimulator } from '../../dist/index.js'
import { startServer } from '../../dist/server/index.js'
import { cellOf, timesOf } from '../figures.js'
import { measureClients } from './clients.js'
import { measureWaits } from './three-minutes.js'

const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
const clip = { size: '128x96', duration: 1 }
const options = /** @type {const} */ ({
  cacheDir: false,
  quality: 'fast',
  clock: { mode: 'auto' },
})
const each = 20

/** Whole lives of videos in virtual time: submit, 37 polls of three minutes, download. */
export async function measureVirtualTime() {
  const sim = createSimulator(options)
  const inProcess = await lifecyclesPerSecond((path, init) => sim.fetch(`https://gateway.test${path}`, init))
  await sim.close()
  const server = await startServer({ ...options, port: 0 })
  const overHttp = await lifecyclesPerSecond((path, init) => fetch(server.url + path, init))
  await server.close()
  return `A life of a video is one submit, 37 polls over three virtual minutes, and the download of its clip, one after the other.

| | lives in a second |
|---|---|
| \`sim.fetch\`, in process | ${cellOf(inProcess, '/s')} |
| over HTTP, with Node's \`fetch\`, client and server in one process | ${cellOf(overHttp, '/s')} |

${await measureClients()}

${await measureWaits()}`
}

/** @param {(path: string, init: RequestInit) => Promise<Response>} call */
async function lifecyclesPerSecond(call) {
  let number = 0
  const live = async () => {
    const prompt = `[[queued 0s]] [[render 3m]] boat number ${number++}`
    const body = JSON.stringify({ model: 'video-1', prompt, ...clip })
    const submitted = await call('/v1/video/generations', { method: 'POST', headers, body })
    const { task_id: id } = await submitted.json()
    for (let polls = 1; ; polls++) {
      const { data } = await (await call(`/v1/video/generations/${id}`, { headers })).json()
      if (data.status !== 'SUCCESS') continue
      if (polls < 36 || polls > 38) throw new Error(`it took ${polls} polls`)
      break
    }
    const content = await call(`/v1/videos/${id}/content`, { headers })
    if ((await content.arrayBuffer()).byteLength === 0) throw new Error('the clip is empty')
  }
  await timesOf(5, live)
  return (await timesOf(each, live)).map((ms) => 1_000 / ms)
}
