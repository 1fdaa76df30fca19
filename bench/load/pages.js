// A page of another origin, in a real Chromium, tries to reach the control API in every way that a browser offers.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'
import { aim, call, isAlive, say, serve, sleep } from './common.js'

const program = process.env['GREENROOM_CHROMIUM'] ?? '/usr/bin/chromium'
if (!existsSync(program)) {
  say(`skipped: there is no ${program}`)
  process.exit()
}
const server = await serve(['--clock', 'manual', '--cache-dir', 'false'])
const port = Number(new URL(server.url).port)
await call(`${server.url}/v1/video/generations`, { model: 'video-1', prompt: 'a secret kite' })

/** The page of an attacker. @returns {Promise<number>} its port. */
function serveEmptyPage() {
  const web = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>evil</title><body>')
  })
  return new Promise((resolve) =>
    web.listen(0, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (web.address()).port),
    ),
  )
}
const pagePort = await serveEmptyPage()

/** Every change that a page may want to make, and everything that it may want to read. */
const writes = [
  '/clock/advance',
  '/reset',
  '/rules',
  '/scenario',
  '/state',
  '/clock',
  '/tasks/x/transition',
  '/namespaces',
  '/session',
]
const reads = [
  '/journal',
  '/tasks',
  '/usage',
  '/clock',
  '/events',
  '/state',
  '/rules',
  '/openapi.json',
  '/app/',
  '/',
]
const body = JSON.stringify({
  by: '1h',
  mode: 'auto',
  rules: [{ match: { op: '*' }, respond: { status: 418 } }],
})

/**
 * All that a page can do, run in the page.
 *
 * @param {{ base: string, writes: string[], reads: string[], body: string }} attack
 * @returns {Promise<string[]>} what it could read.
 */
async function attackFrom({ base, writes, reads, body }) {
  const leaks = /** @type {string[]} */ ([])
  const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const tried = (/** @type {string} */ how, /** @type {() => Promise<string>} */ work) =>
    Promise.race([work(), wait(3_000).then(() => '')]).then(
      (text) => void (!isHarmless(text) && leaks.push(`${how}: ${text.slice(0, 100)}`)),
      () => {},
    )
  /** A refusal, and the empty page of the dashboard, which shows nothing that it can't request, before and after its script has run. */
  const isHarmless = (/** @type {string} */ text) =>
    /^\s*(?:greenroom)?\s*$|^\{"error":|The dashboard has no file|^\s*Skip to the panelgreenroomdefaultConnecting …/.test(
      text,
    )
  const read = async (/** @type {Response} */ response) => (response.ok ? response.text() : '')
  for (const path of writes) {
    const url = base + path
    for (const mode of /** @type {const} */ (['cors', 'no-cors']))
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
        for (const credentials of /** @type {const} */ (['include', 'omit']))
          await tried(`${mode} ${type} ${path}`, async () =>
            read(
              await fetch(url, {
                method: 'POST',
                mode,
                credentials,
                headers: { 'content-type': type },
                body,
              }),
            ),
          )
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      await tried(`${method} ${path}`, async () => read(await fetch(url, { method, body })))
    await tried(`no referrer ${path}`, async () =>
      read(await fetch(url, { method: 'POST', referrerPolicy: 'no-referrer', body })),
    )
    await tried(`keepalive ${path}`, async () =>
      read(await fetch(url, { method: 'POST', keepalive: true, mode: 'no-cors', body })),
    )
    navigator.sendBeacon(url, body)
    navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }))
    // A form whose one field is the JSON, in a frame, and from a sandboxed frame, whose origin is null.
    for (const sandbox of [null, 'allow-scripts allow-forms']) {
      const frame = document.createElement('iframe')
      if (sandbox !== null) frame.setAttribute('sandbox', sandbox)
      const name = body.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
      frame.srcdoc = `<form method=post enctype=text/plain action="${url}"><input name="${name}" value=""></form><script>document.forms[0].submit()</script>`
      document.body.append(frame)
    }
    const fromNull = document.createElement('iframe')
    fromNull.setAttribute('sandbox', 'allow-scripts')
    fromNull.srcdoc = `<script>fetch(${JSON.stringify(url)},{method:'POST',body:${JSON.stringify(body)}})</script>`
    document.body.append(fromNull)
  }
  for (const path of reads) {
    const url = base + path
    await tried(`fetch ${path}`, async () => read(await fetch(url)))
    await tried(`fetch with credentials ${path}`, async () =>
      read(await fetch(url, { credentials: 'include' })),
    )
    await tried(
      `script ${path}`,
      () =>
        new Promise((resolve) => {
          const script = document.createElement('script')
          script.src = url
          script.onload = () => resolve('it ran')
          script.onerror = () => resolve('')
          document.body.append(script)
        }),
    )
    await tried(
      `image ${path}`,
      () =>
        new Promise((resolve) => {
          const image = new Image()
          image.onload = () => resolve('it loaded')
          image.onerror = () => resolve('')
          image.src = url
        }),
    )
    await tried(
      `frame ${path}`,
      () =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe')
          frame.onload = () => {
            try {
              resolve(frame.contentDocument?.body.textContent ?? '')
            } catch {
              resolve('')
            }
          }
          frame.src = url
          document.body.append(frame)
        }),
    )
    await tried(
      `event stream ${path}`,
      () =>
        new Promise((resolve) => {
          const events = new EventSource(url, { withCredentials: true })
          events.onopen = () => resolve('it opened')
          events.onerror = () => {
            events.close()
            resolve('')
          }
        }),
    )
    await tried(
      `web socket ${path}`,
      () =>
        new Promise((resolve) => {
          const socket = new WebSocket(url.replace('http', 'ws'))
          socket.onopen = () => resolve('it opened')
          socket.onerror = () => resolve('')
        }),
    )
    const popup = window.open(url)
    await wait(50)
    await tried(`window ${path}`, async () => popup?.document.body.textContent ?? '')
    popup?.close()
  }
  return leaks
}

const state = async () => {
  const paths = ['clock', 'tasks', 'rules', 'usage']
  const answers = await Promise.all(paths.map((path) => call(`${server.url}/_greenroom/${path}`)))
  delete answers[0].wallTime
  return JSON.stringify(answers)
}
const before = await state()
// A name of the attacker that resolves to this machine, as after DNS rebinding: the page and the server have one origin.
const browser = await chromium.launch({
  executablePath: program,
  args: [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-popup-blocking',
    '--host-resolver-rules=MAP *.evil.test 127.0.0.1',
  ],
})
const leaks = /** @type {string[]} */ ([])
let requests = 0
/** @type {Record<string, { page: string, base: string }>} */
const attacks = {
  'another port of 127.0.0.1': { page: `http://127.0.0.1:${pagePort}/`, base: server.url },
  'a foreign name': { page: `http://www.evil.test:${pagePort}/`, base: server.url },
  'a foreign name, to localhost': {
    page: `http://www.evil.test:${pagePort}/`,
    base: `http://localhost:${port}`,
  },
  'a rebound name': { page: `http://www.evil.test:${port}/v1/models`, base: `http://www.evil.test:${port}` },
  'a name that contains localhost': {
    page: `http://localhost.evil.test:${port}/v1/models`,
    base: `http://localhost.evil.test:${port}`,
  },
}
for (const [name, { page: url, base }] of Object.entries(attacks)) {
  const context = await browser.newContext()
  const page = await context.newPage()
  context.on('request', () => requests++)
  await page.goto(url)
  const attack = { base: `${base}/_greenroom`, writes, reads, body }
  const found = await page.evaluate(attackFrom, attack)
  leaks.push(...found.map((leak) => `${name}: ${leak}`))
  await sleep(1_000)
  const after = await state()
  if (after !== before) leaks.push(`${name}: the state has changed to ${after.slice(0, 300)}`)
  await context.close()
}
await browser.close()
for (const leak of leaks) say(leak)
aim(
  leaks.length === 0,
  `${leaks.length} of ${requests} requests from pages of ${Object.keys(attacks).length} foreign origins got in`,
)
aim(requests > 500 && isAlive(server), 'the requests were made, and the server is well')
await server.stop()
process.exit()
