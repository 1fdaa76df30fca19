// npm run bench: measures, side by side in one run, and writes docs/benchmarks.md.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { load } from './load.js'
import { startServerProcess, timeToFirstAnswer } from './servers.js'
import { measureThreeMinutes } from './three-minutes.js'

const rounds = Number(process.env['ROUNDS'] ?? 6)
const durationMs = Number(process.env['ROUND_MS'] ?? 2_000)
const connections = 16

const polls = await measurePolls()
const start = await measureStart()
const threeMinutes = await measureThreeMinutes(8)
const report = markdown()
writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), report)
process.stdout.write(report)

/** Polls of a running task, beside bare node:http that returns the same bytes; the two take turns. */
async function measurePolls() {
  const greenroom = await startServerProcess('./greenroom-server.js')
  const { path, answer } = await pollOf(greenroom.url)
  const bare = await startServerProcess('./bare-server.js', { ANSWER: JSON.stringify(answer.fields) })
  const contenders = { bare, greenroom }
  /** @type {Record<string, { requestsPerSecond: number[], cpuMicroseconds: number[], p99Ms: number[] }>} */
  const results = {}
  for (const name of Object.keys(contenders))
    results[name] = { requestsPerSecond: [], cpuMicroseconds: [], p99Ms: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of Object.entries(contenders)) {
      const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer sk-bench\r\n\r\n`
      const before = Number(await server.cpu())
      const { requests, seconds, latenciesMs } = await load({
        url: server.url,
        request,
        connections,
        durationMs,
      })
      const used = Number(await server.cpu()) - before
      // The first round only warms up.
      if (round === 0) continue
      results[name]?.requestsPerSecond.push(requests / seconds)
      results[name]?.cpuMicroseconds.push(used / requests)
      results[name]?.p99Ms.push(quantile(latenciesMs, 0.99))
    }
  }
  for (const server of Object.values(contenders)) server.stop()
  return results
}

/** Submits a task that never ends, and looks at what a poll of it answers. */
async function pollOf(/** @type {string} */ url) {
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a paper boat in the rain [[queued forever]]' })
  const submitted = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
  const { task_id: id } = await submitted.json()
  const path = `/v1/video/generations/${id}`
  const response = await fetch(url + path, { headers })
  const text = await response.text()
  const fields = {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !['connection', 'keep-alive'].includes(name)),
    body: text,
  }
  return { path, answer: { fields } }
}

/** Process start to first 200; the two take turns, and the quickest of each counts. */
async function measureStart() {
  const script = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
  const commands = {
    bare: { words: [process.execPath, script('./bare-server.js')], path: '/' },
    greenroom: {
      words: [
        process.execPath,
        script('../dist/cli/main.js'),
        'serve',
        '--port',
        '0',
        '--quiet',
        '--no-cache',
      ],
      path: '/_greenroom/health',
    },
  }
  /** @type {Record<string, number[]>} */
  const times = { bare: [], greenroom: [] }
  for (let round = 0; round < 8; round++) {
    for (const [name, { words, path }] of Object.entries(commands)) {
      times[name]?.push(await timeToFirstAnswer(words, path))
    }
  }
  return times
}

function markdown() {
  const { bare, greenroom } = polls
  if (!bare || !greenroom) throw new Error('a contender is missing')
  const perRound = greenroom.requestsPerSecond.map(
    (value, index) => value / (bare.requestsPerSecond[index] ?? NaN),
  )
  const cpuPerRound = greenroom.cpuMicroseconds.map(
    (value, index) => value / (bare.cpuMicroseconds[index] ?? NaN),
  )
  const p99PerRound = greenroom.p99Ms.map((value, index) => value / (bare.p99Ms[index] ?? NaN))
  const startRatio = Math.min(...(start['greenroom'] ?? [])) / Math.min(...(start['bare'] ?? []))
  return `# Benchmarks

Written by \`npm run bench\`. Machines are noisy: only ratios of contenders that took turns in the same run say
anything, and the spread is part of the figure.

| Measured | Ratio to bare node:http | Spread | Aim |
|---|---|---|---|
| Polls per second, same bytes, ${connections} connections | ${show(median(perRound))} | ${spread(perRound)} | at least 0.75 |
| Processor time per poll | ${show(median(cpuPerRound))} | ${spread(cpuPerRound)} | |
| 99th percentile of poll latency | ${show(median(p99PerRound))} | ${spread(p99PerRound)} | |
| Process start to first 200 | ${show(startRatio)} | quickest of 8 each | within 2 |

The yardstick is \`bench/bare-server.js\`: node:http that writes the same status, headers and body without looking
at the request. ${rounds} rounds of ${durationMs / 1000} s each, in turns, after one to warm up.

A render of three minutes, polled every five seconds by the reference client over a socket (\`greenroom run
bench/three-minutes.yaml\`: 37 polls, judged), takes ${Math.round(median(threeMinutes.runMs))} ms where a run went before, and
${Math.round(median(threeMinutes.processMs))} ms from the start of the process.

Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}.
`
}

function median(/** @type {number[]} */ values) {
  return quantile(values, 0.5)
}

function quantile(/** @type {number[]} */ values, /** @type {number} */ share) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

function spread(/** @type {number[]} */ values) {
  return `${show(Math.min(...values))} to ${show(Math.max(...values))}`
}

function show(/** @type {number} */ value) {
  return value.toFixed(2)
}
