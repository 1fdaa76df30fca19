// Playwright drives the page; greenroom answers it from this process, so that the test holds the clock.
//   node --test video.test.js
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, afterEach, test } from 'node:test'
import { defineNetworkFixture } from '@msw/playwright'
import { createSimulator } from 'greenroom'
import { http, HttpResponse } from 'msw'
import { chromium } from 'playwright-core'

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8')
const app = [
  http.get('https://app.example/', () => HttpResponse.html(read('index.html'))),
  http.get('https://app.example/client.js', () =>
    HttpResponse.text(read('client.js'), { headers: { 'content-type': 'text/javascript' } }),
  ),
]

let browser, context, page, network, sim

before(async () => {
  const executablePath = process.env.GREENROOM_CHROMIUM ?? '/usr/bin/chromium'
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
after(() => browser?.close())

beforeEach(async () => {
  sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
  context = await browser.newContext()
  network = defineNetworkFixture({
    context,
    handlers: [...app, ...sim.handlers({ baseUrl: 'https://gateway.example' })],
    skipAssetRequests: false,
  })
  await network.enable()
  page = await context.newPage()
  await page.goto('https://app.example/')
})
afterEach(async () => {
  await network.disable()
  await context.close()
  await sim.close()
})

async function submit(prompt) {
  await page.fill('[name=prompt]', prompt)
  await page.click('button')
  await page.waitForFunction(() => document.querySelector('[role=status]').textContent !== '')
  return sim.tasks()[0]
}

const shows = (text) => page.locator('[role=status]', { hasText: text }).waitFor()

test('shows how far a video is, and plays it', async () => {
  const { id } = await submit('a red kite')
  await shows('queued 0%')

  await sim.clock.advanceUntil(id, 'IN_PROGRESS')
  await shows('IN_PROGRESS')

  await sim.clock.advanceUntil(id, 'SUCCESS')
  await shows('SUCCESS 100%')
  await page.waitForFunction(() => document.querySelector('video').videoWidth === 1280)
})

test('says why a video failed', async () => {
  const { id } = await submit('a red kite')

  sim.transition(id, { status: 'FAILURE', reason: 'the power went out' })

  await shows('Sorry: the power went out')
  assert.equal(sim.journal({ operation: 'video.content' }).length, 0)
})
