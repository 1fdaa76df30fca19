import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { rounds, roundMs } from '../contest.js'
import { cellOf } from '../figures.js'
import { load } from '../load.js'
import { answerOf, bytesOf, operations, requestsOf } from '../operations.js'
import { startScript } from '../servers.js'

const program = process.env['GREENROOM_CHROMIUM'] ?? '/usr/bin/chromium'
const counts = [1_000, Number(process.env['DASHBOARD_TASKS'] ?? 100_000)]
const pollsPerSecond = 200
const { submits } = operations

/** Frames that the dashboard draws per second in a real browser, while polls arrive. */
export async function measureDashboard() {
  if (!existsSync(program)) return `Not measured: there is no ${program}.`
  if (!submits) throw new Error('there is no operation submits')
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 60_000,
  })
  const rows = []
  try {
    for (const count of counts) {
      const server = await startScript('greenroom-server.js')
      const call = await submits.ready(server.url)
      const request = requestsOf(server.url, call)
      const limits = { durationMs: Infinity, maxRequests: count - 1 }
      await load({ url: server.url, request, connections: 16, ...limits })
      const { task_id: id } = JSON.parse((await answerOf(server.url, call)).body)
      const opened = performance.now()
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(`${server.url}/_greenroom/`)
      await page.waitForSelector('.lanes-scroll .name-label', { timeout: 60_000 })
      const openedMs = performance.now() - opened
      const framesPerSecond = await whilePolled(server.url, `${call.path}/${id}`, async () => {
        const frames = []
        for (let round = 0; round < rounds; round++) frames.push(await framesOf(page, roundMs))
        return frames
      })
      rows.push(`| ${count} | ${cellOf(framesPerSecond, '/s')} | ${(openedMs / 1_000).toFixed(2)} s |`)
      await page.close()
      server.stop()
    }
  } finally {
    await browser.close()
  }
  return `The dashboard in headless Chromium, 1440x900, with a number of tasks, while ${pollsPerSecond} polls arrive per second. Chromium draws at most 60
frames per second.

| tasks | frames per second | from opening the page to its first lane |
|---|---|---|
${rows.join('\n')}`
}

/**
 * Polls a task while something else is done.
 *
 * @template T
 * @param {string} url
 * @param {string} path
 * @param {() => Promise<T>} work
 */
async function whilePolled(url, path, work) {
  const request = bytesOf(url, { method: 'GET', path })
  let isOver = false
  const polls = (async () => {
    while (!isOver) {
      const maxRequests = pollsPerSecond / 20
      await load({ url, request, connections: 1, durationMs: Infinity, maxRequests })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await polls
  }
}

/** @param {import('playwright-core').Page} page @param {number} durationMs */
function framesOf(page, durationMs) {
  return page.evaluate(async (ms) => {
    const start = performance.now()
    let frames = 0
    await new Promise((resolve) => {
      const count = () => {
        frames++
        if (performance.now() - start < ms) requestAnimationFrame(count)
        else resolve(undefined)
      }
      requestAnimationFrame(count)
    })
    return (frames * 1_000) / (performance.now() - start)
  }, durationMs)
}
