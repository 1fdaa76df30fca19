// The byte fuzzer of test/hostile against the built program, a million times: known requests with changes anywhere in
// their bytes. Each must end with sound answers or a closed connection.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  aim,
  count,
  descriptorsOf,
  folder,
  isAlive,
  load,
  memoryOf,
  randomOf,
  say,
  serve,
  until,
} from './common.js'

const inputs = count('INPUTS', 1_000_000)
const seed = count('SEED', 1)
const atOnce = 24
const maxMs = 10_000
const draw = randomOf(seed)
const golden = new URL('../../fixtures/golden/', import.meta.url)
const pieces = /** @type {string[]} */ (
  JSON.parse(readFileSync(new URL('../../test/hostile/pieces.json', import.meta.url), 'utf8'))
)
const known = readdirSync(golden)
  .filter((name) => name.endsWith('.json'))
  .map((name) => {
    const {
      method,
      path,
      headers = {},
      body,
    } = JSON.parse(readFileSync(new URL(name, golden), 'utf8')).request
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const lines = Object.entries({ host: '127.0.0.1', 'content-type': 'application/json', ...headers })
    if (text !== undefined) lines.push(['content-length', String(Buffer.byteLength(text))])
    return `${method} ${path} HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${text ?? ''}`
  })
  .filter((text) => text.length < 4_000)
  .map((text) => Buffer.from(text))

/** What no response may contain: traces of code, and the words for a mistake of our own. */
const traces =
  /\n\s+at |\bnode:internal\b|node_modules|\/src\/[a-z-]+\/|\.ts:\d+|\[object Object\]|TypeError|RangeError|ReferenceError|new_api_panic|The control plane failed/
/** What the gateway says with 5xx: of a model or a route that it lacks, and where a prompt asks for an error. */
const scripted = /"code":"model_not_found"|The model is overloaded|API not implemented/
/** The log warns of directives in prompts that the changes have damaged. */
const warnings = /^warning: [\w.]+: The directive .*\n/gm

/** Up to three requests, one after the other, with up to four changes, in up to three writes. */
function input() {
  let bytes = Buffer.concat(
    Array.from({ length: 1 + draw(3) }, () => known[draw(known.length)] ?? Buffer.alloc(0)),
  )
  for (let changes = 1 + draw(4); changes > 0; changes--) {
    const from = draw(bytes.length + 1)
    const kind = draw(3)
    const random = Buffer.from(Array.from({ length: draw(5) }, () => draw(256)))
    const piece =
      kind === 0
        ? Buffer.alloc(0)
        : kind === 1
          ? random
          : Buffer.from(pieces[draw(pieces.length)] ?? '', 'latin1')
    bytes = Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from + (draw(2) ? draw(41) : 0))])
  }
  const cuts = [0, ...Array.from({ length: draw(3) }, () => draw(bytes.length + 1)).toSorted((a, b) => a - b)]
  return cuts.map((cut, index) => bytes.subarray(cut, cuts[index + 1]))
}

/** @returns {Promise<{ text: string, isClosed: boolean }>} */
function send(/** @type {URL} */ { hostname, port }, /** @type {Buffer[]} */ parts) {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    /** @type {Buffer[]} */
    const chunks = []
    const timer = setTimeout(() => {
      resolve({ text: '', isClosed: false })
      socket.destroy()
    }, maxMs)
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      resolve({ text: Buffer.concat(chunks).toString('latin1'), isClosed: true })
    })
    for (const part of parts.slice(0, -1)) socket.write(part)
    socket.end(parts.at(-1) ?? '')
  })
}

const config = join(folder(), 'greenroom.config.json')
const options = {
  bodies: false,
  video: { listAndDelete: true },
  drawing: { notifyHook: false },
}
writeFileSync(config, JSON.stringify(options))
const server = await serve([
  '--config',
  config,
  '--clock',
  'auto',
  '--quality',
  'fast',
  '--cache-dir',
  'false',
])
const url = new URL(server.url)
const statuses = /** @type {Record<string, number>} */ ({})
const findings = /** @type {Map<string, string>} */ (new Map())
const note = (/** @type {string} */ what, /** @type {Buffer[]} */ sent) => {
  if (findings.size < 20 && !findings.has(what))
    findings.set(what, JSON.stringify(Buffer.concat(sent).toString('latin1')))
}
let left = inputs
let unsent = 0
const before = { descriptors: descriptorsOf(server.pid), memory: memoryOf(server.pid) }
const start = performance.now()
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (left > 0) {
      if (--left % 50_000 === 0) say(`${inputs - left} inputs, ${memoryOf(server.pid).toFixed(0)} MB`)
      const sent = input()
      const { text, isClosed } = await send(url, sent)
      if (!isClosed) note('it hangs', sent)
      if (text === '') unsent++
      const found = traces.exec(text)
      if (found)
        note(
          `it contains ${JSON.stringify(text.slice(Math.max(0, found.index - 200), found.index + 200))}`,
          sent,
        )
      for (const answer of text.split(/(?=HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]*\r\n)/)) {
        const status = answer.slice(9, 12)
        if (!answer.startsWith('HTTP/1.1 ')) continue
        statuses[status] = (statuses[status] ?? 0) + 1
        const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
        if (status.startsWith('5') && !scripted.test(body)) note(`${status}: ${body.slice(0, 160)}`, sent)
      }
      if (!isAlive(server)) {
        note(`the server is gone: ${server.output()}`, sent)
        left = 0
      }
    }
  }),
)
const seconds = (performance.now() - start) / 1_000
say(`seed ${seed}; ${load()}; ${(inputs / seconds).toFixed(0)} inputs a second; ${unsent} without any answer`)
say(
  `answers: ${Object.entries(statuses)
    .map(([status, times]) => `${times} of ${status}`)
    .join(', ')}`,
)
const isLevel = isAlive(server) && (await until(() => descriptorsOf(server.pid) <= before.descriptors + 2))
const health = isAlive(server) ? await fetch(`${server.url}/_greenroom/health`) : undefined
for (const [what, sent] of findings) say(`${what}\n    for ${sent}`)
aim(
  findings.size === 0,
  `${findings.size} findings in ${inputs} inputs: hangs, 5xx without a rule for it, stack traces`,
)
const printed = server.output().replaceAll(warnings, '')
aim(printed === '', `the server printed ${JSON.stringify(printed.slice(-500))}`)
aim(
  isLevel && health?.status === 200,
  `memory: ${before.memory.toFixed(0)} MB before, ${isAlive(server) ? memoryOf(server.pid).toFixed(0) : 0} MB after; descriptors level`,
)
await server.stop()
