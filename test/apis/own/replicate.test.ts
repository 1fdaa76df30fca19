import Replicate from 'replicate'
import { setupServer } from 'msw/node'
import { expect, it } from 'vitest'
import { simulatorWith } from '../../support/own-apis.ts'
import type { NodeSimulator } from '../../../src/index.ts'

const input = { prompt: 'a red kite', duration: 2 }

const clientOf = (sim: NodeSimulator, auth = 'r8_secret'): Replicate =>
  new Replicate({ auth, fetch: sim.fetch, useFileOutput: false })

/** Waits without waiting: the clock in mode `auto` moves by each poll. */
const interval = 1

it('creates, waits for and downloads a prediction for the official SDK', async () => {
  await using sim = await simulatorWith(['replicate'])
  const client = clientOf(sim)
  const created = await client.predictions.create({ model: 'acme/video', input })
  expect(created).toMatchObject({ status: 'starting', input, id: expect.stringMatching(/^[a-z0-9]{26}$/) })
  const done = await client.wait(created, { interval })
  expect(done).toMatchObject({ status: 'succeeded', metrics: { predict_time: expect.any(Number) } })
  const response = await sim.fetch(String(done.output))
  expect(response.headers.get('content-type')).toBe('video/mp4')
  expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp')
})

it('runs a model by its name and by its version', async () => {
  await using sim = await simulatorWith(['replicate'])
  const client = clientOf(sim)
  for (const name of ['acme/video', `acme/video:${'a'.repeat(64)}`] as const) {
    expect(await client.run(name, { input, wait: { mode: 'poll', interval } })).toMatch(/output\.mp4$/)
  }
})

it('makes several images, which show the prompt', async () => {
  await using sim = await simulatorWith(['replicate'])
  const output = await clientOf(sim).run('acme/flux', {
    input: { prompt: 'a red kite', num_outputs: 2, output_format: 'webp' },
    wait: { mode: 'poll', interval },
  })
  const urls = output as unknown as string[]
  expect(urls).toHaveLength(2)
  const files = await Promise.all(urls.map((url) => sim.fetch(url)))
  expect(files.map(({ headers }) => headers.get('content-type'))).toEqual(['image/webp', 'image/webp'])
  const [first, second] = await Promise.all(files.map((file) => file.bytes()))
  expect(Buffer.compare(first!, second!)).not.toBe(0)
})

it('fails with the reason of a directive', async () => {
  await using sim = await simulatorWith(['replicate'])
  const client = clientOf(sim)
  const created = await client.predictions.create({
    model: 'acme/video',
    input: { prompt: 'x [[fail: NSFW content]]' },
  })
  await expect(client.wait(created, { interval })).rejects.toThrow('Prediction failed: NSFW content')
  expect(await client.predictions.get(created.id)).toMatchObject({ status: 'failed', error: 'NSFW content' })
})

it('cancels a prediction', async () => {
  await using sim = await simulatorWith(['replicate'])
  const client = clientOf(sim)
  const { id } = await client.predictions.create({
    model: 'acme/video',
    input: { prompt: 'x [[render 10m]]' },
  })
  expect(await client.predictions.cancel(id)).toMatchObject({ status: 'canceled' })
  expect(await client.predictions.get(id)).toMatchObject({ status: 'canceled', output: null })
})

it('refuses in the envelope of Replicate, whatever is wrong', async () => {
  await using sim = await simulatorWith(['replicate'])
  const refusalOf = async (method: string, path: string, body?: object, key = 'r8_x'): Promise<unknown> => {
    const response = await sim.fetch(`https://api.replicate.com${path}`, {
      method,
      headers: { authorization: `Token ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  expect(await refusalOf('GET', '/v1/predictions/nope')).toMatchObject({ title: 'Not found', status: 404 })
  expect(await refusalOf('POST', '/v1/predictions', { version: 'a', input: {} })).toMatchObject({
    title: 'Input validation failed',
    status: 422,
    invalid_fields: [{ field: 'input.prompt' }],
  })
  expect(await refusalOf('GET', '/v1/predictions/x', undefined, 'bad')).toMatchObject({
    title: 'Unauthenticated',
    detail: expect.stringContaining('Invalid token'),
  })
  expect(await refusalOf('GET', '/v1/predictions/x/nope')).toMatchObject({ title: 'Not found' })
  expect(await refusalOf('DELETE', '/v1/predictions/x')).toMatchObject({ title: 'Not found' })
})

it('expires downloads an hour after the end', async () => {
  await using sim = await simulatorWith(['replicate'])
  const client = clientOf(sim)
  const created = await client.predictions.create({ model: 'acme/video', input })
  const { output } = await client.wait(created, { interval })
  await sim.clock.advance('59m')
  expect((await sim.fetch(String(output))).status).toBe(200)
  await sim.clock.advance('2m')
  expect((await sim.fetch(String(output))).status).toBe(404)
})

it('serves the unchanged SDK at its own https address, through MSW', async () => {
  await using sim = await simulatorWith(['replicate'])
  const server = setupServer(...sim.handlers({ baseUrl: 'https://api.replicate.com' }))
  server.listen({ onUnhandledRequest: 'error' })
  try {
    const client = new Replicate({ auth: 'r8_secret' })
    const output = await client.run('acme/video', { input, wait: { mode: 'poll', interval } })
    const bytes = await (output as unknown as { blob: () => Promise<Blob> }).blob()
    expect(bytes.size).toBeGreaterThan(1_000)
  } finally {
    server.close()
  }
})

it('takes rules by name, by role and by state', async () => {
  await using sim = await simulatorWith(['replicate'], {
    rules: [
      { match: { op: 'replicate.get' }, on: 1, respond: { status: 503 } },
      { match: { role: 'poll', state: 'processing' }, delay: '1s' },
    ],
  })
  const created = await clientOf(sim).predictions.create({ model: 'acme/video', input })
  const response = await sim.fetch(`/v1/predictions/${created.id}`, {
    headers: { authorization: 'Bearer r8_a' },
  })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ status: 503 })
})
