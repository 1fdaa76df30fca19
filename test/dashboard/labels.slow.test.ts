import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { itInChromium, startChromium } from '../browser/chromium.ts'
import { closePages, makeBusy, openDashboard, type OpenDashboard } from './open-dashboard.ts'

let server: RunningServer
let browser: Browser | undefined

beforeAll(async () => {
  server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' } })
  browser = await startChromium()
}, 120_000)
afterAll(async () => {
  await closePages(browser)
  await browser?.close()
  await server.close()
})

/** The labels that are cut by an element around them. Prompts and ids may be: they can have any length. */
const findClipped = ({ page }: OpenDashboard): Promise<string[]> =>
  page.evaluate(() => {
    const labels = 'button, h2, h3, label, th, [role=columnheader], [role=tab], .cap, input[placeholder]'
    const isCut = (element: Element): boolean => {
      if (element.matches('input')) return isPlaceholderCut(element as HTMLInputElement)
      const range = document.createRange()
      range.selectNodeContents(element)
      const text = range.getBoundingClientRect()
      for (let around: Element | null = element; around; around = around.parentElement) {
        if (getComputedStyle(around).overflowX === 'visible') continue
        const { left, right } = around.getBoundingClientRect()
        if (text.width > 0 && (text.right > right + 1 || text.left < left - 1)) return true
      }
      return false
    }
    const isPlaceholderCut = (input: HTMLInputElement): boolean => {
      const pen = document.createElement('canvas').getContext('2d')!
      pen.font = getComputedStyle(input).font
      return input.value === '' && pen.measureText(input.placeholder).width > input.clientWidth
    }
    return [...document.querySelectorAll(labels)]
      .filter((element) => element.closest('.sr') === null && isCut(element))
      .map((element) => element.textContent || (element as HTMLInputElement).placeholder)
  })

itInChromium.each([
  [1280, 900],
  [1440, 900],
  [1920, 1080],
])(
  'clips no label at %i × %i, on any panel',
  async (width, height) => {
    const dashboard = await openDashboard(browser!, server, { viewport: { width, height } })
    await makeBusy(dashboard)
    const panels = await dashboard.page.getByRole('tab').all()
    expect(panels.length).toBeGreaterThan(4)
    for (const panel of panels) {
      await panel.click()
      expect(await findClipped(dashboard), (await panel.textContent())!).toEqual([])
    }
    expect(await dashboard.hasOverflow()).toBe(false)
  },
  90_000,
)
