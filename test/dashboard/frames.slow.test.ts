import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Snapshot } from '../../src/index.ts'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { itInChromium, startChromium } from '../browser/chromium.ts'
import { openDashboard } from './open-dashboard.ts'

let server: RunningServer
let browser: Browser | undefined

beforeAll(async () => {
  server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' } })
  browser = await startChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await server.close()
})

const laneCount = 10_000
const pollsPerSecond = 1_000

const countLanes = (page: Page): Promise<number> =>
  page.evaluate(
    () => (globalThis as unknown as { greenroomPage: { lanes: object[] } }).greenroomPage.lanes.length,
  )

/** Frames per second over five seconds. */
const measureFrames = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const start = performance.now()
    let frames = 0
    await new Promise<void>((resolve) => {
      const count = (): void => {
        frames++
        if (performance.now() - start < 5_000) requestAnimationFrame(count)
        else resolve()
      }
      requestAnimationFrame(count)
    })
    return frames / ((performance.now() - start) / 1000)
  })

/** The budgets of memory and elements. */
async function expectSmall(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  expect((await devtools.send('Runtime.getHeapUsage')).usedSize).toBeLessThan(150_000_000)
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_000)
}

itInChromium(
  'goes on drawing with 10,000 lanes and 1,000 requests per second',
  async () => {
    const dashboard = await openDashboard(browser!, server)
    const { page } = dashboard
    const tasks: string[] = []
    const submitMany = async (): Promise<void> => {
      while (tasks.length < laneCount) tasks.push(await dashboard.submit(`a kite number ${tasks.length}`))
    }
    await Promise.all(Array.from({ length: 16 }, submitMany))
    await expect.poll(() => countLanes(page)).toBeGreaterThanOrEqual(9_000)
    const start = performance.now()
    let sent = 0
    let answered = 0
    const pollForSixSeconds = async (): Promise<void> => {
      while (performance.now() - start < 6_000) {
        if (sent > ((performance.now() - start) / 1000) * pollsPerSecond) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          continue
        }
        const response = await dashboard.poll(tasks[sent++ % 200]!)
        await response.text()
        answered++
      }
    }
    const load = Promise.all(Array.from({ length: 64 }, pollForSixSeconds))
    const framesPerSecond = await measureFrames(page)
    await load
    // How fast it is alone is a figure of the benchmarks: more than 30 frames. Other work may take most of the machine.
    expect(answered).toBeGreaterThan(300)
    expect(framesPerSecond).toBeGreaterThan(1)
    expect(dashboard.problems).toEqual([])
    await expectSmall(page)

    // A page that is opened now begins with all of that. Alone it takes 2.5 s.
    const openedAt = performance.now()
    const { page: later } = await openDashboard(browser!, server, { namespace: dashboard.namespace })
    await expect.poll(() => countLanes(later), { interval: 50 }).toBeGreaterThanOrEqual(9_000)
    expect(performance.now() - openedAt).toBeLessThan(40_000)
    const firstPaintMs = await later.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
    )
    expect(firstPaintMs).toBeLessThan(20_000)
  },
  240_000,
)

/** A snapshot whose only task is replaced by many, as if they were submitted one after the other. */
function multiplied({ state, ...head }: Snapshot, count: number): Snapshot {
  const values = state.flatMap(([part, names, value]) => {
    if (part === 'submitted') return [[part, names, count] as const]
    if (part !== 'task') return [[part, names, value] as const]
    const { record, ...rest } = value as { record: { request: object } }
    return Array.from({ length: count }, (_, index) => {
      const nth = index + 1
      const id = names[1]!.slice(0, -6) + String(nth).padStart(6, '0')
      const request = { ...record.request, prompt: `a kite number ${nth}` }
      return [part, [names[0]!, id], { ...rest, record: { ...record, id, nth, request } }] as const
    })
  })
  return { ...head, state: values }
}

const manyTasks = 100_000

itInChromium(
  'shows the latest of 100,000 tasks, counts the older ones, and goes on drawing',
  async () => {
    const namespace = 'many'
    const headers = { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' }
    const submit = async (nth: number): Promise<void> => {
      const body = JSON.stringify({ model: 'video-1', prompt: `a kite number ${nth}` })
      const path = `${server.url}/ns/${namespace}/v1/video/generations`
      await (await fetch(path, { method: 'POST', headers, body })).text()
    }
    await submit(1)
    const { state } = server.simulator.control
    state.restore(multiplied(state.snapshot(namespace), manyTasks), { namespace })
    const dashboard = await openDashboard(browser!, server, { namespace })
    const { page } = dashboard
    const counted = page.locator('.ruler-name')
    await expect.poll(() => counted.textContent()).toBe('10,000 lanes, 90,000 older')
    expect(await measureFrames(page)).toBeGreaterThan(1)

    // The server has room for no more: the oldest task goes with each new one.
    const sent = manyTasks + 600
    for (let nth = manyTasks + 1; nth <= sent; nth++) await submit(nth)
    const total = async (): Promise<number> => {
      const [lanes, older] = (await counted.textContent())!.replaceAll(',', '').match(/\d+/g)!.map(Number)
      return lanes! + older!
    }
    await expect.poll(() => page.locator('.name-label').allTextContents()).toContain(`a kite number ${sent}`)
    await expect.poll(total).toBe(manyTasks)
    await page.locator('.lanes-scroll').evaluate((list) => (list.scrollTop = 0))
    await expect
      .poll(() => page.locator('.name-label').first().textContent())
      .toMatch(/^a kite number 91\d{3}$/)
    await expectSmall(page)
    expect(dashboard.problems).toEqual([])
  },
  300_000,
)
