import { expect } from 'vitest'
import { itInChromium } from './chromium.ts'
import { openPage, press } from './open-page.ts'
import { built } from './site.ts'

const opened = openPage(built)

itInChromium('does in a page that was built what it does in one that is served', async () => {
  const page = opened()
  for (const name of ['video', 'drawing', 'text'] as const) await press(page, name)
  const displayed = await page.evaluate(() => ({
    video: document.querySelector('video')!.videoWidth,
    drawing: document.querySelector('img')!.naturalWidth,
    text: document.querySelector('#text')!.textContent,
  }))
  expect(displayed).toEqual({ video: 1280, drawing: 1024, text: expect.stringContaining('fox') })
  expect(await page.evaluate(() => sim.verdict())).toMatchObject({ passed: true })
})
