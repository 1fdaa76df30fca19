import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { RunningServer } from '../../src/server/index.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page of the dashboard on a namespace of its own, and clients of that namespace. */
export class OpenDashboard {
  readonly page: Page
  readonly namespace: string
  /** What the page must never do: console errors, and requests to other machines. */
  readonly problems: string[] = []
  readonly #url: string

  constructor(page: Page, url: string, namespace: string) {
    this.page = page
    this.#url = url
    this.namespace = namespace
    page.on('pageerror', (error) => this.problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url()))
        this.problems.push(`a request to ${request.url()}`)
    })
  }

  async control<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/ns/${this.namespace}/_greenroom${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Answer
  }

  gateway(path: string, body?: object): Promise<Response> {
    return fetch(`${this.#url}/ns/${this.namespace}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  async submit(prompt: string): Promise<string> {
    const response = await this.gateway('/v1/video/generations', { model: 'video-1', prompt })
    return ((await response.json()) as { task_id: string }).task_id
  }

  poll(task: string): Promise<Response> {
    return this.gateway(`/v1/video/generations/${task}`)
  }

  /** The rules that axe finds broken, with the first element of each. */
  async findBarriers(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in globalThis))) await this.page.evaluate(axeSource)
    return this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            root: Document,
            options: { resultTypes: string[] },
          ): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>
        }
      }
      // Without this, axe also names each element that passes.
      const { violations } = await axe.run(document, { resultTypes: ['violations'] })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0]!.target.join(' ')}`)
    })
  }

  hasOverflow(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  }
}

let count = 0

/** Hidden pages would go on drawing. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
}

/** Opens the dashboard on a new namespace. Time stands still until a test moves it. */
export async function openDashboard(
  browser: Browser,
  server: RunningServer,
  { namespace = `page-${++count}`, ...context }: BrowserContextOptions & { namespace?: string } = {},
): Promise<OpenDashboard> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...context })
  page.setDefaultTimeout(20_000)
  const dashboard = new OpenDashboard(page, server.url, namespace)
  await page.goto(`${server.url}/_greenroom/?namespace=${namespace}`)
  await page.waitForSelector('.link-state.live')
  return dashboard
}

/** Some of everything: videos that wait, work, succeeded and failed, drawings, texts, faults and refusals. */
export async function makeBusy(dashboard: OpenDashboard): Promise<string[]> {
  const prompts = ['a paper boat', 'a red kite [[fail: content policy]]', 'a fox [[stuck]]', 'a lighthouse']
  const tasks: string[] = []
  for (const prompt of prompts) {
    tasks.push(await dashboard.submit(prompt))
    await dashboard.control('POST', '/clock/advance', { by: '4s' })
  }
  await dashboard.control('POST', '/next', { op: 'video.poll', respond: { status: 503 } })
  for (const task of tasks) await dashboard.poll(task)
  // Its words take time, which stands still.
  const text = dashboard.gateway('/v1/chat/completions', {
    model: 'sim-text-1',
    messages: [{ role: 'user', content: 'Why do kites fly?' }],
  })
  await dashboard.gateway('/mj/submit/imagine', { prompt: 'a deer in a forest' })
  await dashboard.gateway('/v1/videos/nothing')
  await dashboard.control('POST', '/rules', { id: 'slow', match: { op: 'mj.fetch' }, delay: '2s' })
  const texts = () => dashboard.control<unknown[]>('GET', '/journal?operation=chat.complete')
  await expect.poll(async () => (await texts()).length).toBe(1)
  await dashboard.control('POST', '/clock/advance', { by: '10m' })
  await text
  await dashboard.poll(tasks[0]!)
  tasks.push(await dashboard.submit('a snow globe'))
  await dashboard.control('POST', '/clock/advance', { by: '6s' })
  await expect
    .poll(() => dashboard.page.evaluate(() => document.querySelectorAll('.name').length))
    .toBeGreaterThanOrEqual(6)
  return tasks
}
