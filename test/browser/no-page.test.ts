import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSimulator as inPage } from '../../src/browser.ts'
import { createSimulator } from '../../src/index.ts'
import { dataUrl } from '../support/drawing.ts'
import { ask, drawn, filmOf } from './walk.js'

// What a test finds whose page is only imitated: the build for browsers, and no canvas.

it('makes the films of Node where there is no page', async () => {
  const film = { model: 'video-1', prompt: 'a paper boat in the rain', duration: 1, size: '128x96' }
  await using imitated = inPage({ seed: 3 })
  await using sim = createSimulator({ seed: 3, cacheDir: false })
  const [one, other] = [await filmOf(imitated, film), await filmOf(sim, film)]
  expect(digestOf(one)).toBe(digestOf(other))
})

it('says why it can draw nothing where there is no page', async () => {
  await using sim = inPage()
  const task = await drawn(sim, 'imagine', { prompt: 'a red fox' })
  const answer = await ask(sim, `/mj/image/${task.id}`)
  expect(answer.status).toBe(500)
  expect(answer.headers.get('x-greenroom-hint')).toMatch(
    /there is no page with a canvas here\..*customExportConditions: \['node'\]/,
  )
})

it('says why it can take no picture where there is no page', async () => {
  await using sim = inPage()
  const film = { model: 'video-1', prompt: 'waves', image: dataUrl('sea.jpeg') }
  const answer = await ask(sim, '/v1/video/generations', film)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toMatch(/The image can't be looked at: there is no page with a canvas here/)
})

it('warns that pictures are not fetched', async () => {
  const warnings: string[] = []
  await using sim = inPage({ fetchImages: true, onWarning: (warning) => warnings.push(warning) })
  expect(sim.core.media.fetchImage).toBeUndefined()
  expect(warnings).toEqual(['Pictures given by address are not fetched in a browser; they are drawn from.'])
})

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
