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

// Colours depend on the scheme, the layout on the width: not every width needs both schemes.
itInChromium.each([
  ['busy', 'light', 1440, 900],
  ['busy', 'dark', 1440, 900],
  ['busy', 'light', 390, 844],
  ['busy', 'dark', 360, 700],
  ['empty', 'dark', 1440, 900],
  ['empty', 'light', 360, 700],
] as const)(
  'has no barrier and no overflow, %s, %s, %i pixels wide',
  async (content, colorScheme, width, height) => {
    const options = { viewport: { width, height }, colorScheme, bypassCSP: true }
    const dashboard = await openDashboard(browser!, server, options)
    if (content === 'busy') await makeBusy(dashboard)
    for await (const state of states(dashboard, width)) {
      await dashboard.page.waitForTimeout(150)
      expect(await dashboard.findBarriers(), state).toEqual([])
      expect(await dashboard.hasOverflow(), state).toBe(false)
    }
    expect(dashboard.problems).toEqual([])
  },
  120_000,
)

itInChromium('has no overflow at 360 pixels in a namespace with a long name', async () => {
  const options = { viewport: { width: 360, height: 700 }, namespace: 'a-namespace-with-a-rather-long-name' }
  const dashboard = await openDashboard(browser!, server, options)
  expect(await dashboard.page.locator('#namespace').inputValue()).toBe(options.namespace)
  expect(await dashboard.hasOverflow()).toBe(false)
})

itInChromium('moves nothing by itself for those who prefer reduced motion', async () => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const dashboard = await openDashboard(browser!, server, { reducedMotion })
    const { page } = dashboard
    await dashboard.submit('a paper boat [[queued 5s]] [[render 40s]]')
    await page.locator('.name').waitFor()
    await page.waitForTimeout(1_000)
    // The view eases towards what fits, or jumps there.
    const views = page.evaluate(async () => {
      const { range } = (globalThis as unknown as { greenroomPage: { range: { value: { to: number } } } })
        .greenroomPage
      const seen = new Set<number>()
      for (let frame = 0; frame < 60; frame++) {
        seen.add(range.value.to)
        await new Promise(requestAnimationFrame)
      }
      return seen.size
    })
    await dashboard.control('POST', '/clock/advance', { by: '2m' })
    if (reducedMotion === 'reduce') expect(await views).toBeLessThanOrEqual(3)
    else expect(await views).toBeGreaterThan(5)
    await page.keyboard.press('?')
    expect(await page.evaluate((isCalm) => isCalm && document.getAnimations().length, true)).toBe(0)
  }
})

itInChromium('marks what is chosen by more than a color of its own, in forced colors', async () => {
  const { page } = await openDashboard(browser!, server, { forcedColors: 'active' })
  const background = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(await background('.tabs [aria-selected=true]')).not.toBe(
    await background('.tabs [aria-selected=false]'),
  )
  expect(await background('.joined [aria-pressed=true]')).not.toBe(
    await background('.joined [aria-pressed=false]'),
  )
})

itInChromium('reads each lane and each exchange as a sentence', async () => {
  const dashboard = await openDashboard(browser!, server)
  const { page } = dashboard
  await makeBusy(dashboard)
  const lanes = (): Promise<string> => page.getByRole('grid', { name: 'Tasks' }).ariaSnapshot()
  await expect
    .poll(lanes)
    .toContain('a red kite , video, FAILURE: content policy, started at 00:04.0, 2 requests')
  await expect.poll(lanes).toMatch(/Why do kites fly\? , text, completed, started at 00:16\.0, 1 request/)
  const exchanges = await page.getByRole('grid', { name: 'Exchanges' }).ariaSnapshot()
  expect(exchanges).toMatch(/row "\d+ 00:\d\d\.\d\d video\.poll a paper boat 503 .*next-\d+/)
  const frame = await page.locator('body').ariaSnapshot()
  for (const part of [
    'banner',
    'region "Clock"',
    'region "Time axis"',
    'region "Journal"',
    'region "Panels"',
    'timer "Virtual time since the start"',
    'separator "Height of axis and journal"',
    'tablist "Panels"',
    'tab "Break it" [selected]',
    'combobox "Namespace"',
    'status: Live',
  ])
    expect(frame).toContain(part)
  // A button, a link or a field without a name would end here.
  expect(frame.match(/^\s*- (?:button|link|textbox|combobox|checkbox|tab)(?: \[.*\])?:?$/gm)).toBeNull()
})

itInChromium('can be used with the keyboard alone, and shows where the focus is', async () => {
  const dashboard = await openDashboard(browser!, server)
  const { page } = dashboard
  const task = await dashboard.submit('a paper boat')
  await page.locator('.name').waitFor()
  const focused = (): Promise<{ name: string; isVisible: boolean }> =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
      const around = getComputedStyle(element.parentElement!)
      const name = element.getAttribute('aria-label') ?? element.id ?? ''
      return {
        name: name || element.textContent!.trim().slice(0, 40),
        isVisible:
          element === document.body ||
          (outlineStyle !== 'none' && outlineWidth !== '0px') ||
          boxShadow !== 'none' ||
          around.outlineStyle !== 'none',
      }
    })
  const tabTo = async (name: string): Promise<void> => {
    for (let count = 0; count < 120; count++) {
      await page.keyboard.press('Tab')
      const { name: reached, isVisible } = await focused()
      expect(isVisible, reached).toBe(true)
      if (reached === name) return
    }
    throw new Error(`Tab does not reach ${name}`)
  }
  await tabTo('Namespace')
  await tabTo('Tasks')
  await page.keyboard.press('ArrowDown')
  await page.locator('.name[aria-selected=true]', { hasText: 'a paper boat' }).waitFor()
  await tabTo('Height of axis and journal')
  const height = () => page.locator('.journal').evaluate(({ clientHeight }) => clientHeight)
  const before = await height()
  await page.keyboard.press('ArrowUp')
  await expect.poll(height).toBeGreaterThan(before)
  await tabTo('Exchanges')
  await page.keyboard.press('ArrowUp')
  await page.locator('.exchange[aria-selected=true]').waitFor()
  await tabTo('tab-inspect')
  await page.keyboard.press('ArrowRight')
  await page.locator('#tab-break[aria-selected=true]').waitFor()
  await tabTo('Arm: the next poll, gets a 503')
  await page.keyboard.press('Enter')
  await page.locator('.armed', { hasText: '503' }).waitFor()
  expect((await dashboard.poll(task)).status).toBe(503)
  // All the way round: nothing holds the focus.
  await tabTo('Namespace')
  expect(dashboard.problems).toEqual([])
})
