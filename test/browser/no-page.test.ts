import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSimulator as inPage } from '../../src/browser.ts'
import { createSimulator } from '../../src/index.ts'
import { dataUrl } from '../support/drawing.ts'
import { ask, drawn, createVideo } from './walk.js'

// In an emulated page (such as jsdom), tests load the build for browsers, but there is no canvas.

it('renders the same videos as Node without a page', async () => {
  const request = { model: 'video-1', prompt: 'a paper boat in the rain', duration: 1, size: '128x96' }
  await using imitated = inPage({ seed: 3 })
  await using sim = createSimulator({ seed: 3, cacheDir: false })
  const [one, other] = [await createVideo(imitated, request), await createVideo(sim, request)]
  expect(digestOf(one)).toBe(digestOf(other))
})

it('explains why it cannot draw without a page', async () => {
  await using sim = inPage()
  const task = await drawn(sim, 'imagine', { prompt: 'a red fox' })
  const answer = await ask(sim, `/mj/image/${task.id}`)
  expect(answer.status).toBe(500)
  expect(answer.headers.get('x-greenroom-hint')).toMatch(
    /there is no page with a canvas here\..*customExportConditions: \['node'\]/,
  )
})

it('explains why it refuses images without a page', async () => {
  await using sim = inPage()
  const request = { model: 'video-1', prompt: 'waves', image: dataUrl('sea.jpeg') }
  const answer = await ask(sim, '/v1/video/generations', request)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toMatch(/The image can't be looked at: there is no page with a canvas here/)
})

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
