import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { itInChromium, startChromium } from '../browser/chromium.ts'
import { closePages, makeBusy, openDashboard, type OpenDashboard } from './open-dashboard.ts'

let server: RunningServer
let browser: Browser | undefined

beforeAll(async () => {
  server = await startServer({
    bodies: true,
    port: 0,
    cacheDir: false,
    clock: { mode: 'manual' },
    quality: 'fast',
  })
  browser = await startChromium()
}, 120_000)
afterEach(() => closePages(browser))
afterAll(async () => {
  await browser?.close()
  await server.close()
})

const panels = ['inspect', 'break', 'rules', 'gallery', 'usage', 'verdict'] as const

/** Each state that a page of this width can be in. */
async function* states({ page }: OpenDashboard, width: number): AsyncGenerator<string> {
  const setView = (view: string): Promise<void> =>
    page.evaluate((name) => {
      const { view: signal } = (globalThis as unknown as { greenroomPage: { view: { value: string } } })
        .greenroomPage
      signal.value = name
    }, view)
  if (width < 760) {
    yield 'axis'
    await setView('journal')
    yield 'journal'
    await setView('panel')
  }
  for (const [index, panel] of panels.entries()) {
    await page.keyboard.press(String(index + 1))
    yield panel
  }
  const row = page.locator('.exchange').last()
  if (width >= 760 && (await row.count()) > 0) {
    await row.click()
    await page.locator('.reasons, .inspect .muted').first().waitFor()
    yield 'an exchange'
    await page.locator('.name-cell', { hasText: 'a snow globe' }).click()
    yield 'a task'
    await page.keyboard.press('2')
    await page.getByRole('button', { name: 'Fail later' }).click()
    yield 'a proposal'
  }
  await page.keyboard.press('?')
  yield 'keys'
}

const sizes = [
  [1440, 900],
  [390, 844],
  [360, 700],
] as const

for (const isBusy of [false, true])
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [width, height] of sizes)
      itInChromium(
        `has no barrier and no overflow, ${isBusy ? 'busy' : 'empty'}, ${colorScheme}, ${width} pixels wide`,
        async () => {
          const options = { viewport: { width, height }, colorScheme, bypassCSP: true }
          const dashboard = await openDashboard(browser!, server, options)
          if (isBusy) await makeBusy(dashboard)
          for await (const state of states(dashboard, width)) {
            await dashboard.page.waitForTimeout(150)
            expect(await dashboard.findBarriers(), state).toEqual([])
            expect(await dashboard.hasOverflow(), state).toBe(false)
          }
          expect(dashboard.problems).toEqual([])
        },
        120_000,
      )
