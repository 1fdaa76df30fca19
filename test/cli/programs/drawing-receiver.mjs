// @ts-nocheck
// A receiver of the callbacks of drawings and its client in one process.
import { createServer } from 'node:http'
import { once } from 'node:events'
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
async function call(path, init = {}, tries = 4) {
  for (let n = 1; ; n++) {
    let answer
    try {
      answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(60_000), ...init })
      const text = await answer.text()
      if (answer.ok) return JSON.parse(text)
    } catch (error) {
      if (n >= tries || init.method === 'POST') throw error
      await sleep(2000 * 2 ** n)
      continue
    }
    if (n >= tries || (answer.status !== 429 && answer.status < 500))
      throw new Error(`${path} ${answer.status}`)
    const after = answer.headers.get('retry-after') ?? ''
    await sleep(
      Math.max(
        2000 * 2 ** n,
        /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now() || 0,
      ),
    )
  }
}
let credits = 0
let latest = ''
const seen = new Set()
let finish
const ended = new Promise((resolve) => (finish = resolve))
function learn({ id, status, failReason }) {
  if (!['SUCCESS', 'FAILURE'].includes(latest)) latest = status
  if (!['SUCCESS', 'FAILURE'].includes(status) || seen.has(id)) return
  seen.add(id)
  credits++
  finish({ id, status, failReason })
}
const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  response.end('ok')
  learn(JSON.parse(text))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const made = await call('/mj/submit/imagine', {
  method: 'POST',
  body: JSON.stringify({
    prompt: 'a red kite',
    notifyHook: `http://127.0.0.1:${server.address().port}/hook`,
  }),
})
if (made.code !== 1) throw new Error(`refused: ${made.description}`)
const poll = async () => {
  const until = Date.now() + 30 * 60_000
  while (Date.now() < until) {
    await sleep(30_000)
    if (credits > 0) return
    const state = await call(`/mj/task/${made.result}/fetch`)
    if (['SUCCESS', 'FAILURE'].includes(state.status)) return learn(state)
  }
  throw new Error('no end')
}
await Promise.race([ended, poll()])
const { status, failReason } = await ended
await sleep(120_000)
server.close()
server.closeAllConnections()
if (latest === 'FAILURE' || status === 'FAILURE')
  throw new Error(`failed: ${failReason || 'no reason given'}`)
console.log(`done: ${latest}, paid for ${credits}`)
process.exit(0)
