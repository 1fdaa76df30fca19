import { afterAll, beforeAll, vi } from 'vitest'
import type { Page } from 'playwright-core'
import { startChromium } from './chromium.ts'
import { browserExample, type Project, type Site } from './site.ts'

/**
 * Opens the page of examples/browser in a real browser, for all tests of a file. Without a browser, the page is undefined.
 * @param serve serves its project, or builds it first.
 */
export function openPage(serve: (project: Project) => Promise<Site>): () => Page {
  // Pages load slowly while other tests run.
  vi.setConfig({ testTimeout: 90_000 })
  let page: Page | undefined
  const ends: (() => Promise<unknown> | void)[] = []
  beforeAll(async () => {
    const browser = await startChromium()
    if (!browser) return
    ends.push(() => browser.close())
    const project = browserExample()
    ends.push(project.remove)
    const site = await serve(project)
    ends.push(() => site.close())
    page = await browser.newPage()
    page.setDefaultTimeout(80_000)
    await page.goto(site.url)
    await isReady(page)
  }, 180_000)
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => page!
}

/** Reloads the page, so that its simulator starts without the state of other tests. */
export async function reloadPage(page: Page): Promise<Page> {
  await page.reload()
  await isReady(page)
  return page
}

function isReady(page: Page): Promise<void> {
  return page.locator('#status', { hasText: 'Ready' }).waitFor()
}

/** Presses a button of the page, and waits for its result. */
export async function press(page: Page, name: 'video' | 'drawing' | 'text'): Promise<void> {
  await page.evaluate(() => (document.querySelector('#status')!.textContent = ''))
  await page.locator(`[name=${name}]`).click()
  await page.locator('#status', { hasText: `Displayed: ${name}` }).waitFor()
}
