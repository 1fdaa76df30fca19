import { expect, it, vi } from 'vitest'
import { createSimulator } from '../../src/browser.ts'

const headers = { authorization: 'Bearer sk-page', 'content-type': 'application/json' }
const url = 'https://gateway.example/v1/video/generations'

/** What the page hears when it submits these prompts in one go. */
async function warningsFor(prompts: readonly string[]): Promise<string[]> {
  const warnings: string[] = []
  await using sim = createSimulator({ onWarning: (warning) => warnings.push(warning) })
  for (const prompt of prompts) {
    const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
    await sim.fetch(url, { method: 'POST', headers, body })
  }
  // A third submission within 50 ms would prevent the warning.
  await new Promise((resolve) => setTimeout(resolve, 60))
  return warnings.filter((warning) => warning.includes('StrictMode'))
}

it('says once that a page submits the same job twice at once, as in React’s StrictMode', async () => {
  expect(await warningsFor(['a kite', 'a kite', 'a boat', 'a boat'])).toEqual([
    expect.stringMatching(/^The page submitted the same job twice at once \(video\.submit\)/),
  ])
})

it('says nothing of different jobs', async () => {
  expect(await warningsFor(['a kite', 'a boat'])).toEqual([])
})

it('prints it in the console of a page that does not ask for warnings', async () => {
  const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await using sim = createSimulator()
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
  await Promise.all([1, 2].map(() => sim.fetch(url, { method: 'POST', headers, body })))
  await expect
    .poll(() => print.mock.calls)
    .toEqual([[expect.stringMatching(/^greenroom: The page submitted/)]])
  print.mockRestore()
})
