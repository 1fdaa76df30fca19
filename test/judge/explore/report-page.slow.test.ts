import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { explore, reportExplorations, toFindingScenario } from '../../../src/judge/explore/index.ts'
import { readReportPage } from '../../../src/judge/reports/html/files.ts'
import { writeReport } from '../../../src/judge/reports/write-report.ts'
import { itInChromium, startChromium } from '../../browser/chromium.ts'
import { inProcess } from './in-process.ts'
import { careful, makeVideo } from './planted/video.ts'

const folder = mkdtempSync(join(tmpdir(), 'greenroom-explored-'))
const path = join(folder, 'report.html')
let browser: Browser | undefined

beforeAll(async () => {
  const habits = { ...careful, verify: () => true, delayMs: (failures: number) => 1_250 * 2 ** failures }
  const exploration = await explore(
    inProcess((gateway) => makeVideo('a <kite>', gateway, habits)),
    { isSelected: ({ injection }) => ['rate limit', 'corrupt bytes'].includes(injection.family) },
  )
  const findings = exploration.findings.map((finding) => ({
    ...finding,
    isAccepted: false,
    fails: true,
    file: 'finding.yaml',
    yaml: JSON.stringify(toFindingScenario(finding, exploration), undefined, 2),
    reproduce: 'greenroom run finding.yaml -- node client.js',
  }))
  const left = exploration.cells.slice(0, 2).map(({ schedule }) => schedule)
  const reported = { ...exploration, findings, left, title: 'node client.js' }
  writeFileSync(path, writeReport('html', reportExplorations([reported]), { readPage: readReportPage }))
  browser = await startChromium()
}, 60_000)
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

async function openReport(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser!.newPage({ viewport: { width, height: 900 }, colorScheme })
  await page.goto(pathToFileURL(path).href)
  await page.locator('.exploration').waitFor()
  return page
}

itInChromium('opens the run of a finding on the time axis, from its card and from the matrix', async () => {
  const page = await openReport(1440, 'light')
  expect(await page.locator('.finding-card').allTextContents()).toHaveLength(2)
  await page.locator('.finding-card', { hasText: 'honours-retry-after' }).click()

  expect(await page.locator('.finding-block').textContent()).toContain('honours-retry-after')
  expect(await page.locator('.exchange.marked').count()).toBeGreaterThan(0)
  expect(await page.getByText('greenroom run finding.yaml -- node client.js').count()).toBe(1)
  expect(await page.getByRole('heading', { name: 'finding.yaml' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Matrix' }).click()
  await page.getByRole('button', { name: 'wrong result: finding 1' }).click()
  expect(await page.locator('.finding-block').textContent()).toContain('keeps a damaged download')
  await page.getByRole('button', { name: 'The baseline run' }).click()
  expect(await page.locator('.finding-block').count()).toBe(0)
  expect(await page.locator('.exchange').count()).toBeGreaterThan(3)
  await page.close()
})

itInChromium.each([
  ['light', 1440],
  ['dark', 360],
] as const)('has no accessibility problem in %s at %i pixels', async (theme, width) => {
  const page = await openReport(width, theme)
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  await page.close()
})
