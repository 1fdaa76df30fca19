import OpenAI, { toFile } from 'openai'
import { expect, it } from 'vitest'
import type { NodeSimulator } from '../../../src/index.ts'
import { simulatorWith } from '../../support/own-apis.ts'

const endpoint = '/v1/responses'
const request = (id: string, input: string): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: endpoint,
    body: { model: 'gpt-5-mini', input },
  })

const clientOf = (sim: NodeSimulator): OpenAI =>
  new OpenAI({ apiKey: sim.key, baseURL: 'https://api.example/v1', fetch: sim.fetch, maxRetries: 0 })

async function createBatch(client: OpenAI, ...lines: string[]): Promise<OpenAI.Batch> {
  const file = await toFile(Buffer.from(lines.join('\n')), 'in.jsonl')
  const { id } = await client.files.create({ purpose: 'batch', file })
  return client.batches.create({ input_file_id: id, endpoint, completion_window: '24h' })
}

it('writes the output and the errors of a batch as JSON Lines, which the SDK of OpenAI reads', async () => {
  await using sim = await simulatorWith(['openai-batch'], { clock: 'manual' })
  const client = clientOf(sim)
  const { id } = await createBatch(client, request('a', 'Hello'), request('b', '[[fail: too long]]'))
  await sim.clock.advance('1h')
  const batch = await client.batches.retrieve(id)
  const read = async (file: string | undefined): Promise<unknown> =>
    JSON.parse(await (await client.files.content(file!)).text())
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: 2, completed: 1, failed: 1 },
  })
  expect(await read(batch.output_file_id)).toMatchObject({ custom_id: 'a', response: { status_code: 200 } })
  expect(await read(batch.error_file_id)).toMatchObject({
    custom_id: 'b',
    response: { status_code: 400, body: { error: { message: 'too long' } } },
  })
  expect(await (await client.files.content(batch.input_file_id)).text()).toContain('Hello')
})

it('cancels a batch in a while, and lists the batches of the key, the newest first', async () => {
  await using sim = await simulatorWith(['openai-batch'], { clock: 'manual' })
  const client = clientOf(sim)
  const [first, second] = [
    await createBatch(client, request('a', 'one')),
    await createBatch(client, request('a', 'two')),
  ]
  expect(await client.batches.cancel(first.id)).toMatchObject({ status: 'cancelling' })
  await sim.clock.advance('1m')
  const page = await client.batches.list({ limit: 1 })
  const listed = [...page.data, ...(await page.getNextPage()).data]
  expect(listed.map(({ id }) => id)).toEqual([second.id, first.id])
  expect(listed[1]).toMatchObject({ status: 'cancelled', output_file_id: null })
})

it('fails a batch whose file has no request to its endpoint', async () => {
  await using sim = await simulatorWith(['openai-batch'], { clock: 'manual' })
  const client = clientOf(sim)
  const { id } = await createBatch(client, 'no JSON')
  await sim.clock.advance('1h')
  const { status, errors } = await client.batches.retrieve(id)
  expect([status, errors?.data?.[0]?.message]).toEqual(['failed', `The file has no request to ${endpoint}`])
})
