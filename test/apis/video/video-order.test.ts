import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../../src/index.ts'
import { authorization } from '../../support/video.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url))
const data = `data:image/png;base64,${png.toString('base64')}`
const url = 'https://example.com/kite.png'

async function submit(path: string, body: object, options: EmbeddedOptions = {}) {
  await using sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' }, ...options })
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await sim.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { id, code, message, error } = (await response.json()) as Readonly<Record<string, string>> & {
    error?: { code: string }
  }
  return { id, code: code ?? error?.code, message, hint: sim.journal()[0]!.hint }
}

const models = [{ name: 'video-1', image: false }, { name: 'video-2' }]

const paths = ['/v1/video/generations', '/v1/videos']

it.each([
  [{ model: 'nope' }, 'model_not_found'],
  [{ model: 'nope', prompt: 5, size: 'x', image: 'x' }, 'model_not_found'],
  [{ model: 'video-1', prompt: '', size: 'x', image: 5 }, 'prompt is required'],
  [{ model: 'video-1', prompt: 'a', image: 5, duration: 1.5, size: 5 }, 'image must be a string'],
  [{ model: 'video-1', prompt: 'a', image: 'x', duration: 1.5 }, 'field duration must be a whole number'],
  [{ model: 'video-2', prompt: 'a', image: 'x', duration: 9_999, size: 'x' }, 'image is not complete'],
  [{ model: 'video-1', prompt: 'a', image: data, duration: 9_999, size: 'x' }, 'does not take an image'],
  [{ model: 'video-1', prompt: 'a', duration: 9_999, size: 'x' }, 'seconds must be between 1 and 3600'],
  [{ model: 'video-1', prompt: 'a', size: 'x' }, 'size must be WIDTHxHEIGHT'],
])(
  'refuses the first mistake of %j: the model, the form, images, the length, the size',
  async (body, found) => {
    for (const path of paths) {
      const { code, message } = await submit(path, body, { models })
      expect(`${code} ${message}`).toContain(found)
    }
  },
)

it.each([
  ['No available channel', { model: 'nope', prompt: 'a' }],
  ['field prompt must be a string', { model: 'video-1', prompt: 5 }],
  ['duration is 9999: seconds must be between', { model: 'video-1', prompt: 'a', duration: 9_999 }],
  [
    'metadata.resolution is "x": write it as "720p"',
    { model: 'video-1', prompt: 'a', metadata: { resolution: 'x' } },
  ],
  ['duration is "0", which stands for the default', { model: 'video-2', prompt: 'a', duration: '0' }],
  ['The clip is rendered in 1920x', { model: 'video-2', prompt: 'a', size: '8000x4000' }],
])('gives the journal the hint %s', async (hint, body) => {
  for (const path of paths)
    expect((await submit(path, body, { models })).hint).toEqual(expect.stringContaining(hint))
})

/** The fields of images are part of the identity of a request under their names, so ids depend on them. */
it.each<[string, object]>([
  ['task_Hjes9FvtMthHuMvJ5bJ2bUZMgeW9qIrO', {}],
  ['task_tkohiZ1q8H1oDp7XS3tsNUCoqhUAjFkr', { image: '' }],
  ['task_y7OAfqbJ8q7miWXWBZGko4FDfPxqsngJ', { images: [] }],
  ['task_idhDj1GoyC4OhcOcSTTuHArGpeD97ADL', { image: data }],
  ['task_sj9NAk1njjMoyQmQHOc4GJpET2f6OZfp', { image: url }],
  ['task_liptLflNfHBRaS6WVAfafYerZ234sf1U', { images: data }],
  ['task_liptLflNfHBRaS6WVAfafYerZ234sf1U', { images: [data] }],
  ['task_55y4UcvXLWqwVunJWVF3rtb9AMJ5oalK', { images: [data, url] }],
  ['task_saioMSsTMgURphRSrI6N72E6U00KyaoP', { images: [data, data] }],
  ['task_lCztYvnKhE9dNx0gsvfGwwpZaljbfdxz', { image: data, images: [url, data, url] }],
  ['task_NuCdPWRVMht6UelnG46jXDeqkkhOU4tG', { image: data, input_reference: url }],
  ['task_YnnBk3KroSsbt2yjfF1CZF2vPgkbd4rn', { input_reference: data }],
])('has the id %s for its images', async (id, images) => {
  const body = { model: 'video-1', prompt: 'a kite', ...images }
  expect((await submit('/v1/video/generations', body)).id).toBe(id)
})

it('takes an image of a form of an SDK as one of JSON, with an id of its own', async () => {
  const body = { model: 'video-1', prompt: 'a kite' }
  expect((await submit('/v1/videos', { ...body, 'input_reference[image_url]': url })).id).toBe(
    'task_HieAnMi2GvtEty8zvMUfVw28gn2TnASy',
  )
  expect((await submit('/v1/videos', { ...body, input_reference: data })).id).toBe(
    'task_2XwYE3ugZCfHuBFFmkQe07XKruTCaTaO',
  )
})
