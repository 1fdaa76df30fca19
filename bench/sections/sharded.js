import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cellOf, ratiosOf } from '../figures.js'
import { ownFolder } from '../folders.js'
import { load } from '../load.js'
import { startScript } from '../servers.js'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const roundMs = Number(process.env['ROUND_MS'] ?? 1_000)
const conf = new URL('../../examples/sharded/nginx.conf', import.meta.url)
const body = JSON.stringify({
  model: 'sim-text-1',
  messages: [{ role: 'user', content: 'Tell a long story about a kite that crossed the sea.' }],
  n: 8,
})

/** Two processes behind nginx relative to one behind the same nginx, in turns. */
export async function measureSharded() {
  if (spawnSync('nginx', ['-v']).error) return 'Not measured: nginx is not installed.'
  const servers = await Promise.all(
    [0, 1].map((shard) => startScript('./greenroom-server.js', { SHARD: `${shard}` })),
  )
  const urls = servers.map(({ url }) => url)
  const folder = ownFolder()
  const [one, two] = [balancer(folder, 'one', 4646, [urls[0], urls[0]]), balancer(folder, 'two', 4647, urls)]
  try {
    /** @type {Record<'one' | 'two', number[]>} */
    const perSecond = { one: [], two: [] }
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { url }] of /** @type {const} */ ([
        ['one', one],
        ['two', two],
      ])) {
        await isUp(url)
        const { requests, seconds } = await load({
          url,
          request: asking(url),
          connections: 16,
          durationMs: roundMs,
        })
        if (round > 0) perSecond[name].push(requests / seconds)
      }
    }
    return `Two processes behind nginx, as in \`examples/sharded\`, relative to one behind the same: chats of eight answers by 32 namespaces. Nginx
and the load generator run on the same processors.

| | answers in a second |
|---|---|
| one process | 1 |
| two processes | ${cellOf(ratiosOf(perSecond.two, perSecond.one))} |`
  } finally {
    for (const server of [...servers, one, two]) server.stop()
  }
}

/**
 * The example's nginx, with the four shards that it knows spread over some processes.
 *
 * @param {string} folder
 * @param {string} name
 * @param {number} port
 * @param {(string | undefined)[]} urls
 */
function balancer(folder, name, port, urls) {
  const text = readFileSync(conf, 'utf8')
    .replace('127.0.0.1:4646', `127.0.0.1:${port}`)
    .replaceAll(
      /127\.0\.0\.1:465(\d)\b/g,
      (_address, shard) => new URL(urls[Number(shard) % urls.length] ?? '').host,
    )
  const own = join(folder, name)
  mkdirSync(own)
  const file = join(own, 'nginx.conf')
  writeFileSync(file, text)
  const child = spawn('nginx', ['-p', own, '-c', file, '-e', 'stderr'], { stdio: 'ignore' })
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

async function isUp(/** @type {string} */ url) {
  for (let tries = 0; tries < 100; tries++) {
    const status = await fetch(`${url}/_greenroom/health`).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing answers at ${url}`)
}

/** Requests of 32 namespaces in turn. */
function asking(/** @type {string} */ url) {
  const requests = Array.from({ length: 32 }, (_, index) =>
    [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: ${new URL(url).host}`,
      `Authorization: Bearer sk-sim-team-${index}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  let turn = 0
  return () => requests[turn++ % requests.length] ?? ''
}
