import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { readTrace, htmlReport, RunCollection } from '../../../src/judge/reports/html/html.ts'
import { readReportPage } from '../../../src/judge/reports/html/files.ts'
import { itInChromium, startChromium } from '../../browser/chromium.ts'

const folder = mkdtempSync(join(tmpdir(), 'greenroom-page-'))
const path = join(folder, 'report.html')
const hostile = `</script><img src=x onerror="hacked=1"><script>hacked=1</script>\u2028 a kite`

/** What a client did that downloads too early, with a task that is still in progress at the end. */
async function writeExample(): Promise<void> {
  await using sim = createSimulator({ seed: 7, cacheDir: false, clock: { mode: 'manual' } })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const call = (target: string, init?: RequestInit): Promise<Response> =>
    sim.fetch(`https://gateway.example${target}`, { headers, ...init })
  const submit = async (prompt: string): Promise<string> => {
    const body = JSON.stringify({ model: 'video-1', prompt, size: '128x96', duration: 1 })
    const answer = await call('/v1/video/generations', { method: 'POST', body })
    return ((await answer.json()) as { task_id: string }).task_id
  }
  const run = sim.watch({ always: ['no-early-download'], tasks: [{ count: 1 }] })
  sim.next('video.poll', { respond: { status: 503 } })
  const id = await submit(hostile)
  await call(`/v1/videos/${id}/content`)
  await call(`/v1/video/generations/${id}`)
  await sim.clock.advance('1m')
  await submit('a lighthouse [[queued 20s]] [[render 1m]]')
  await sim.clock.advance('35s')
  const verdict = { ...(await run.verdict()), name: 'a test', reproduce: 'greenroom run story.yaml' }
  const runs = new RunCollection()
  const scenario = [{ file: 'story.yaml', text: `version: 1\nname: '${hostile}'\n` }]
  runs.add({ verdict, trace: readTrace(sim.core, 'default'), scenario })
  writeFileSync(path, htmlReport(readReportPage(), runs.toData('greenroom run')))
}

let browser: Browser | undefined
beforeAll(async () => {
  await writeExample()
  browser = await startChromium()
}, 60_000)
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

/** What a page tried that it must not: requests, errors, violations of its policy. */
async function openReport(
  view: { theme?: 'light' | 'dark'; width?: number } = {},
): Promise<[Page, string[]]> {
  const { theme: colorScheme = 'light', width = 1440 } = view
  const page = await browser!.newPage({ viewport: { width, height: 900 }, colorScheme })
  const problems: string[] = []
  page.on('request', (request) => {
    if (!/^(?:data:|file:.*report\.html$)/.test(request.url())) problems.push(`requests ${request.url()}`)
  })
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(pathToFileURL(path).href)
  await page.locator('.app.is-report').waitFor()
  return [page, problems]
}

it('has at most 200 kB besides its data', () => {
  expect(readReportPage().length).toBeLessThan(200_000)
  expect(statSync(path).size).toBeGreaterThan(readReportPage().length)
})

itInChromium('opens from disk without any request, and runs nothing of what clients sent', async () => {
  const [page, problems] = await openReport()

  expect(await page.evaluate('typeof hacked')).toBe('undefined')
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.getByText('</script>').count()).toBeGreaterThan(0)
  await expect(page.evaluate(`fetch('http://127.0.0.1:4646/')`)).rejects.toThrow('Failed to fetch')
  expect(problems.filter((problem) => !problem.includes('http://127.0.0.1:4646'))).toEqual([])
  await page.close()
})

itInChromium('opens the request that proves a finding, from the verdict and by its mark', async () => {
  const [page] = await openReport()
  const row = page.getByRole('row', { name: '2 00:00' })
  expect(await row.getAttribute('class')).toContain('marked')
  await page.getByRole('button', { name: '#2' }).click()

  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Inspect')
  expect(await page.locator('.finding').textContent()).toContain(
    'had not ended when video.content was requested',
  )
  expect(await row.getAttribute('aria-selected')).toBe('true')
  await page.close()
})

itInChromium('shows what the run cost', async () => {
  const [page] = await openReport()

  expect(await page.locator('.verdict-sum').textContent()).toContain('of virtual time, for $0.16.')
  await page.close()
})

itInChromium('shows the scenario and the command that reproduces the run', async () => {
  const [page] = await openReport()

  expect(await page.getByText('greenroom run story.yaml').count()).toBe(1)
  expect(await page.getByRole('heading', { name: 'story.yaml' }).count()).toBe(1)
  await page.close()
})

itInChromium('is read-only, and moves by keys', async () => {
  const [page] = await openReport()
  const actions = page.getByRole('button', { name: /arm|fails|play|pause|step|live|save|turn on|go/i })
  expect(await actions.allTextContents()).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')

  expect(await page.getByRole('row', { selected: true }).textContent()).toContain('a lighthouse')
  expect(await page.locator('.panel').textContent()).toContain('queued')
  await page.close()
})

itInChromium.each([
  ['light', 1440],
  ['dark', 390],
] as const)(
  'has no accessibility problem in %s at %i pixels',
  async (theme, width) => {
    const [page] = await openReport({ theme, width })
    // The policy of the page forbids other scripts, but not those of the inspector.
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    const check = async (): Promise<unknown> => {
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[]
      }
      return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
    }
    await page.evaluate(axe)
    for (const view of width < 760 ? ['Axis', 'Journal', 'Panels'] : []) {
      await page.getByRole('button', { name: view }).click()
      expect(await check(), view).toEqual([])
    }
    for (const panel of ['Run', 'Inspect', 'Invariants']) {
      await page.getByRole('tab', { name: panel }).click()
      expect(await check(), panel).toEqual([])
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.close()
  },
  60_000,
)
