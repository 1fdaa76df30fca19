// @ts-nocheck
// A receiver of Replicate's webhooks, and its client, in one process. The first argument plants a bug; without it, it is careful.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'

const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const bug = process.argv[2]
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const ends = ['succeeded', 'failed', 'canceled']

/** Sends a request. What may be repeated is repeated, with growing waits. */
async function send(path, init = {}) {
  for (let attempt = 1; ; attempt++) {
    let wait = 1_000 * 2 ** attempt
    try {
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(60_000),
        ...init,
      })
      if (response.ok) return await response.json()
      const after = response.headers.get('retry-after')
      wait = Math.max(wait, after ? Number(after) * 1_000 || Date.parse(after) - Date.now() : 0)
      const isFinal = response.status < 500 && response.status !== 429
      throw Object.assign(new Error(`${path} returned ${response.status}`), { isFinal, wasRefused: true })
    } catch (error) {
      if (error.isFinal || attempt === 5 || (init.method === 'POST' && !error.wasRefused)) throw error
    }
    await sleep(wait)
  }
}

const { key: secret } = await send('/v1/webhooks/default/secret')

function isSigned(headers, raw) {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']]
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  return headers['webhook-signature'] === `v1,${mac.update(`${id}.${timestamp}.${raw}`).digest('base64')}`
}

let [state, credits] = ['', 0]
const settled = new Set()
let finish
const ended = new Promise((resolve) => (finish = resolve))

function learn({ id, status }) {
  if (bug === 'depends-on-order' || !ends.includes(state)) state = status
  if (!ends.includes(status) || (bug !== 'counts-each' && settled.has(id))) return
  settled.add(id)
  credits++
  finish()
}

const server = createServer(async (request, response) => {
  let raw = ''
  for await (const piece of request) raw += piece
  if (bug !== 'believes-all' && !isSigned(request.headers, raw)) return response.writeHead(401).end()
  if (bug === 'works-first') await sleep(20_000)
  response.end()
  learn(JSON.parse(raw))
}).listen(0, '127.0.0.1')
await once(server, 'listening')

const webhook = `http://127.0.0.1:${server.address().port}/webhook`
const body = JSON.stringify({ input: { prompt: 'a red kite', duration: 5 }, webhook })
const { id } = await send('/v1/models/kling/kling-v2-video/predictions', { method: 'POST', body })

async function poll() {
  for (let polls = 0; polls < 60; polls++) {
    await sleep(30_000)
    if (settled.size > 0) return
    learn(await send(`/v1/predictions/${id}`))
  }
  if (settled.size === 0) throw new Error(`prediction ${id} has not ended`)
}

await (bug === 'never-polls' ? ended : Promise.race([ended, poll()]))
// A server goes on: what comes later must change nothing.
await sleep(120_000)
server.close()
server.closeAllConnections()
if (state !== 'succeeded') throw new Error(`prediction ${id} is ${state}`)
console.log(`${state}, paid for ${credits}`)
process.exit(0)
