import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { itInChromium, startChromium } from './browser/chromium.ts'
import { startWalkthrough, walk, type Walkthrough } from './support/walkthrough.ts'

// Each page as it is written, in an empty folder. Only the port is another, so that a server of yours may run, and its time
// is ten times as fast. All install with the same lines. npm does it where Vitest runs, which treats installed packages otherwise.
async function newReader(isInstalling = false): Promise<Walkthrough> {
  const reader = await startWalkthrough(isInstalling)
  onTestFinished(() => reader.end())
  return reader
}

it('does what the README says, block by block', { timeout: 600_000 }, async () => {
  const reader = await newReader(true)
  expect(await walk('README.md', reader)).toEqual([])
  expect(statSync(join(reader.folder(), 'clip.mp4')).size).toBeGreaterThan(10_000)
})

it.each(['first-test', 'first-ci-scenario', 'first-video', 'your-vendor'])(
  'does what the tutorial %s says, block by block',
  { timeout: 600_000 },
  async (name) => {
    const reader = await newReader(name === 'first-test')
    const exempt = await walk(`docs/tutorials/${name}.md`, reader)
    expect(exempt).toHaveLength(name === 'first-ci-scenario' ? 1 : 0)
    if (name === 'first-video')
      expect(statSync(join(reader.folder(), 'clip.mp4')).size).toBeGreaterThan(10_000)
  },
)

itInChromium('does what the tutorial msw-page says, block by block', { timeout: 600_000 }, async () => {
  const reader = await newReader()
  expect(await walk('docs/tutorials/msw-page.md', reader)).toHaveLength(3)
  const browser = (await startChromium())!
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(reader.servers[0]!)
  const status = page.locator('#status')
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toBe('Ready')
  await page.click('button')
  await expect.poll(() => status.textContent(), { timeout: 60_000 }).toBe('SUCCESS 100%')
  const width = (): Promise<number> =>
    page.locator('video').evaluate((video: HTMLVideoElement) => video.videoWidth)
  await expect.poll(width, { timeout: 20_000 }).toBeGreaterThan(0)
  await page.evaluate("sim.next('video.poll', { respond: { status: 503 } })")
  await page.click('button')
  await expect.poll(() => status.textContent()).toMatch(/^Failed: .* returned 503$/)
})

it('fails for a command that fails, unless the page shows its output', async () => {
  const reader = await startWalkthrough()
  const say = (language: string, code: string): Promise<void> =>
    reader.take({ path: 'page.md', line: 1, language, code, reason: undefined, notExplored: undefined })
  await say('sh', 'X=7; mkdir inside && cd inside')
  await say('sh', 'echo "seven is $X"; false; echo unseen')
  await say('text', 'seven is 7')
  expect(reader.folder()).toMatch(/inside$/)
  await say('sh', 'exit 3')
  await expect(reader.end()).rejects.toThrow('failed with 3')
})
