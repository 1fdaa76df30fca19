import { createServer as createHttpServer, request } from 'node:http'
import { createServer, connect, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { parseScenario } from '../../src/index.ts'
import { startServer, type RunningServer } from '../../src/server/index.ts'
import { itInChromium, startChromium } from '../browser/chromium.ts'
import { closePages, makeBusy, openDashboard } from './open-dashboard.ts'

interface Task {
  status: string
  reason: string
  timeline: { status: string; from: number }[]
}
interface ClockStatus {
  mode: string
  now: number
}

let server: RunningServer
let browser: Browser | undefined
const open = (options?: Parameters<typeof openDashboard>[2]) => openDashboard(browser!, server, options)

beforeAll(async () => {
  server = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' }, quality: 'fast' })
  browser = await startChromium()
}, 120_000)
afterEach(() => closePages(browser))
afterAll(async () => {
  await browser?.close()
  await server.close()
})

itInChromium('teaches a first request, and becomes a lane with it', async () => {
  const dashboard = await open()
  const { page } = dashboard
  await expect(page.getByText('Waiting for your first request').isVisible()).resolves.toBe(true)
  await dashboard.submit('a paper boat')
  await page.locator('.name-label', { hasText: 'a paper boat' }).waitFor()
  expect(await page.locator('.exchange').count()).toBe(1)
  expect(dashboard.problems).toEqual([])
})

itInChromium('says in which namespace the requests are', async () => {
  const busy = await open()
  await busy.submit('elsewhere')
  const { page } = await open()
  await page.getByText(`Namespace ${busy.namespace} has 1 task and 1 request.`).waitFor()
  await page.getByRole('listitem').filter({ hasText: busy.namespace }).getByRole('button').click()
  await page.locator('.name-label', { hasText: 'elsewhere' }).waitFor()
  expect(new URL(page.url()).searchParams.get('namespace')).toBe(busy.namespace)
})

itInChromium(
  'plays and pauses with the space bar, and steps to the next event with a full stop',
  async () => {
    const dashboard = await open()
    const { page } = dashboard
    const task = await dashboard.submit('a red kite [[queued 10s]] [[render 30s]]')
    await page.locator('.name').waitFor()
    await page.keyboard.press('.')
    const { timeline } = await dashboard.control<Task>('GET', `/tasks/${task}`)
    const clock = () => dashboard.control<ClockStatus>('GET', '/clock')
    await expect.poll(async () => (await clock()).now).toBe(timeline[1]!.from)
    await page.keyboard.press(' ')
    await expect.poll(async () => (await clock()).mode).toBe('real')
    await page.keyboard.press(' ')
    await expect.poll(async () => (await clock()).mode).toBe('manual')
  },
)

itInChromium('holds a clock in mode auto, and lets it go with a second press', async () => {
  const dashboard = await open()
  await dashboard.control('PUT', '/clock', { mode: 'auto' })
  const holds = async () => (await dashboard.control<{ holds: { name: string }[] }>('GET', '/clock')).holds
  await dashboard.page.getByText('auto: nothing waits on the clock').first().waitFor()
  await dashboard.page.keyboard.press(' ')
  await dashboard.page.getByRole('button', { name: 'Let time pass' }).waitFor({ timeout: 1_000 })
  expect(await holds()).toMatchObject([{ name: 'dashboard' }])
  await dashboard.page.keyboard.press(' ')
  await dashboard.page.keyboard.press(' ')
  await dashboard.page.keyboard.press(' ')
  await expect.poll(holds).toEqual([])
})

itInChromium('arms a fault for the next poll, and lists it until it fires', async () => {
  const dashboard = await open()
  const { page } = dashboard
  const task = await dashboard.submit('a red kite')
  await page.getByRole('button', { name: 'Arm: the next poll, is reset' }).click()
  await page.locator('.armed', { hasText: 'poll → reset' }).waitFor()
  await expect(dashboard.poll(task)).rejects.toThrow()
  await page.locator('.armed').waitFor({ state: 'detached' })
  await page.keyboard.press('3')
  await page.locator('.rules .tag', { hasText: 'spent' }).waitFor()
  await page.locator('.exchange.fault').waitFor()
})

itInChromium(
  'drags the end of a task to an earlier instant, and shows the rule that does the same',
  async () => {
    const dashboard = await open()
    const { page } = dashboard
    const task = await dashboard.submit('a red kite [[queued 5s]] [[render 25s]]')
    await dashboard.control('POST', '/clock/advance', { by: '10s' })
    const end = async () => (await dashboard.control<Task>('GET', `/tasks/${task}`)).timeline.at(-1)!
    const before = await end()
    await page.locator('.name.working').waitFor()
    await page.waitForTimeout(800)
    const handle = await page.evaluate((at) => {
      const { range } = (
        globalThis as unknown as { greenroomPage: { range: { value: { from: number; to: number } } } }
      ).greenroomPage
      const { left, top, width } = document.querySelector('.bars')!.getBoundingClientRect()
      const { from, to } = range.value
      return { x: left + ((at - from) / (to - from)) * width, y: top + 13 }
    }, before.from)
    await page.mouse.move(handle.x, handle.y)
    await page.mouse.down()
    await page.mouse.move(handle.x - 120, handle.y, { steps: 4 })
    await page.mouse.up()
    await expect(page.locator('.proposal pre').textContent()).resolves.toContain(
      'match: { op: video.submit }',
    )
    expect((await end()).from).toBe(before.from)
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(async () => (await end()).from).toBeLessThan(before.from - 1_000)
    expect((await end()).status).toBe('SUCCESS')
  },
)

itInChromium('lets a task fail, hang and finish by hand', async () => {
  const dashboard = await open()
  const { page } = dashboard
  for (const [button, status] of [
    ['Fail now', 'FAILURE'],
    ['Finish now', 'SUCCESS'],
  ] as const) {
    const task = await dashboard.submit(`to ${status}`)
    await page.locator('.name-cell', { hasText: `to ${status}` }).click()
    await page.keyboard.press('2')
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(async () => (await dashboard.control<Task>('GET', `/tasks/${task}`)).status)
      .toBe(status)
  }
  const task = await dashboard.submit('to hang')
  await page.locator('.name-cell', { hasText: 'to hang' }).click()
  await page.keyboard.press('2')
  await page.getByRole('button', { name: 'Hang' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  const last = async () => (await dashboard.control<Task>('GET', `/tasks/${task}`)).timeline.at(-1)!.status
  await expect.poll(last).toBe('IN_PROGRESS')
})

itInChromium('explains a request: rules, response, and a curl line', async () => {
  const dashboard = await open()
  const { page } = dashboard
  const task = await dashboard.submit('a red kite')
  await dashboard.control('POST', '/next', { op: 'video.poll', respond: { status: 503 } })
  await dashboard.poll(task)
  await page.locator('.exchange.fault').click()
  await page.locator('.reasons .fired', { hasText: 'next-' }).waitFor()
  await expect(page.locator('.inspect .code').last().textContent()).resolves.toContain(
    `curl -s '${server.url}/`,
  )
})

itInChromium('filters the journal, and moves through it with the arrow keys', async () => {
  const dashboard = await open()
  const { page } = dashboard
  await makeBusy(dashboard)
  const { length } = await dashboard.control<unknown[]>('GET', '/journal')
  await page.keyboard.press('/')
  await page.keyboard.type('status:503')
  await expect.poll(() => page.locator('.exchange').count()).toBe(1)
  await page.locator('#journal-find').fill('op:nothing')
  await page.getByRole('button', { name: `Show all ${length}` }).click()
  await page.locator('.journal-body').focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  const selected = page.locator('.exchange[aria-selected=true] .num')
  await expect.poll(() => selected.textContent()).toBe(String(length - 1))
})

itInChromium('resumes after a cut without a gap and without anything twice', async () => {
  const sockets = new Set<Socket>()
  const proxy = createServer((from) => {
    const to = connect(server.port, '127.0.0.1')
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => (from.destroy(), to.destroy()))
    }
    from.pipe(to).pipe(from)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  try {
    const dashboard = await open()
    const task = await dashboard.submit('a red kite')
    const { page } = dashboard
    await page.goto(`http://127.0.0.1:${port}/_greenroom/?namespace=${dashboard.namespace}`)
    await page.waitForSelector('.link-state.live')
    const numbers = () =>
      page.evaluate(() =>
        (
          globalThis as unknown as { greenroomPage: { entries: { number: number }[] } }
        ).greenroomPage.entries.map(({ number }) => number),
      )
    await expect.poll(numbers).toEqual([1])
    const resumed = page.waitForRequest((request) => request.headers()['last-event-id'] !== undefined)
    for (const socket of sockets) socket.destroy()
    for (let count = 0; count < 5; count++) await dashboard.poll(task)
    await resumed
    await expect.poll(numbers).toEqual([1, 2, 3, 4, 5, 6])
  } finally {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  }
})

itInChromium('polls behind a proxy that holds the stream back, and misses nothing of it', async () => {
  const proxy = createHttpServer((incoming, outgoing) => {
    const { method, headers } = incoming
    const sent = request(server.url + incoming.url, { method, headers }, (response) => {
      if (incoming.url!.includes('/_greenroom/events')) return void response.resume()
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  try {
    const dashboard = await open()
    const { page } = dashboard
    const task = await dashboard.submit('a red kite')
    await page.goto(`http://127.0.0.1:${port}/_greenroom/?namespace=${dashboard.namespace}`)
    await page.locator('.link-state.polling', { hasText: 'Polling twice a second' }).waitFor()
    await page.locator('.name.waiting', { hasText: 'a red kite' }).waitFor()
    await dashboard.poll(task)
    await expect.poll(() => page.locator('.exchange').count()).toBe(2)
    await page.keyboard.press('.')
    await page.locator('.name.working', { hasText: 'a red kite' }).waitFor()
    await page.locator('.verdict-chip').waitFor()
    await dashboard.control('POST', '/reset')
    await page.getByText('Waiting for your first request').waitFor()
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

itInChromium('says when the server is gone, and comes back by itself', async () => {
  const first = await startServer({ port: 0, cacheDir: false, clock: { mode: 'manual' } })
  const dashboard = await openDashboard(browser!, first)
  const { page } = dashboard
  await dashboard.submit('a red kite')
  await page.locator('.name').waitFor()
  await first.close()
  await page.locator('.banner', { hasText: 'The server does not respond' }).waitFor()
  expect(await page.locator('.name').count()).toBe(1)
  const second = await startServer({ port: first.port, cacheDir: false, clock: { mode: 'manual' } })
  try {
    await page.waitForSelector('.link-state.live')
    // Another process: nothing from before is true.
    await page.getByText('Waiting for your first request').waitFor()
  } finally {
    await second.close()
  }
})

itInChromium('wants the token of the server, and works with it', async () => {
  const token = 'a-token-of-24-characters'
  const guarded = await startServer({
    port: 0,
    cacheDir: false,
    clock: { mode: 'manual' },
    controlToken: token,
  })
  try {
    const page = await browser!.newPage()
    await page.goto(`${guarded.url}/_greenroom/`)
    await page.getByRole('heading', { name: 'This server needs a token' }).waitFor()
    await page.getByLabel('Control token').fill(token)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.link-state.live')
    const other = await (await browser!.newContext()).newPage()
    await other.goto(`${guarded.url}/_greenroom/?token=${token}`)
    await other.waitForSelector('.link-state.live')
    expect(other.url()).not.toContain(token)
  } finally {
    await guarded.close()
  }
})

itInChromium('lets single keys be turned off', async () => {
  const { page } = await open()
  await page.keyboard.press('?')
  await page.getByLabel('Use single keys').uncheck()
  await page.keyboard.press('Escape')
  // The browser reports that the dialog is closed a moment later. Until then keys belong to the dialog.
  await page.getByLabel('Use single keys').waitFor({ state: 'detached' })
  await page.keyboard.press('3')
  const selected = page.locator('.dock [aria-selected=true]')
  await expect(selected.textContent()).resolves.toBe('Break it')
  await page.keyboard.press('?')
  await page.getByLabel('Use single keys').check()
})

itInChromium('saves what was done as a scenario that the loader takes', async () => {
  const dashboard = await open()
  const { page } = dashboard
  const task = await dashboard.submit('a red kite')
  await page.getByRole('button', { name: 'Arm: the next poll, is reset' }).click()
  await page.locator('.armed').waitFor()
  await expect(dashboard.poll(task)).rejects.toThrow()
  await dashboard.control('POST', `/tasks/${task}/end`, { in: '3m', status: 'FAILURE', reason: 'too dark' })
  await page.getByRole('button', { name: 'Save as scenario' }).click()
  await page.getByText('Checked: the scenario is valid.').waitFor()
  const { scenario } = await parseScenario(await page.locator('dialog pre').innerText())
  expect(scenario.rules).toMatchObject([
    { match: { op: 'video.submit' }, task: { reason: 'too dark' } },
    { match: { role: 'poll' }, fault: 'reset', on: 1 },
  ])
  expect(dashboard.problems).toEqual([])
})

itInChromium('shows what was made without a request in the journal or a download in the usage', async () => {
  const dashboard = await open()
  const { page } = dashboard
  await dashboard.submit('a red kite')
  await dashboard.control('POST', '/clock/advance', { by: '10m' })
  const state = async (): Promise<unknown> =>
    Promise.all(['/journal', '/usage'].map((path) => dashboard.control('GET', path)))
  const before = await state()
  await page.keyboard.press('4')
  const poster = page.locator('.thumb img')
  await expect.poll(() => poster.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Play a red kite' }).click()
  const duration = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.duration)
  await expect.poll(duration).toBeGreaterThan(1)
  expect(await state()).toEqual(before)
  expect(dashboard.problems).toEqual([])
})
