import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { describeTransportsAnd, type OpenTransport } from '../../support/transports.ts'
import { postJson } from '../../support/text.ts'

type Called = Pick<OpenTransport, 'call'>

interface Embeddings {
  object: string
  model: string
  data: { object: string; index: number; embedding: number[] }[]
  usage: { prompt_tokens: number; total_tokens: number }
}

const post = (transport: Called, fields: object): Promise<Response> =>
  postJson(transport, '/v1/embeddings', { model: 'sim-embedding-1', ...fields })

const embed = async (transport: Called, fields: object): Promise<Embeddings> =>
  (await (await post(transport, fields)).json()) as Embeddings

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * other[at]!, 0)

describeTransportsAnd('express')((open) => {
  it('embeds a text in 1536 dimensions of length 1, and counts its tokens', async () => {
    await using transport = await open()
    const { object, model, data, usage } = await embed(transport, { input: 'Why do kites fly?' })
    expect({ object, model, usage }).toEqual({
      object: 'list',
      model: 'sim-embedding-1',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
    expect(data).toMatchObject([{ object: 'embedding', index: 0 }])
    expect(data[0]!.embedding).toHaveLength(1_536)
    expect(dot(data[0]!.embedding, data[0]!.embedding)).toBeCloseTo(1, 4)
  })

  it('sends the same numbers as base64 of 32-bit floats', async () => {
    await using transport = await open()
    const { data: numbers } = await embed(transport, { input: 'a red kite', dimensions: 16 })
    const encoded = await embed(transport, { input: 'a red kite', dimensions: 16, encoding_format: 'base64' })
    const bytes = Buffer.from(encoded.data[0]!.embedding as unknown as string, 'base64')
    const floats = Array.from({ length: 16 }, (_, at) => bytes.readFloatLE(at * 4))
    expect(floats).toEqual(numbers[0]!.embedding.map(Math.fround))
  })

  it('puts texts that share words nearer to each other', async () => {
    await using transport = await open()
    const input = ['How do I reset my password?', 'Password reset steps', 'Opening hours of the museum']
    const [question, near, far] = (await embed(transport, { input })).data.map(({ embedding }) => embedding)
    expect(dot(question!, near!)).toBeGreaterThan(dot(question!, far!) + 0.2)
  })

  it('embeds tokens, alone and in batches', async () => {
    await using transport = await open()
    const one = await embed(transport, { input: [464, 2068, 7586], dimensions: 32 })
    expect([one.data.length, one.usage.prompt_tokens]).toEqual([1, 3])
    const [same, near, far] = (
      await embed(transport, {
        input: [
          [464, 2068, 7586],
          [464, 2068, 1],
          [9, 8, 7],
        ],
        dimensions: 32,
      })
    ).data
    expect(same!.embedding).toEqual(one.data[0]!.embedding)
    expect(dot(same!.embedding, near!.embedding)).toBeGreaterThan(dot(same!.embedding, far!.embedding))
  })

  it.each([
    ['nothing', {}, 'input is empty'],
    ['an empty text', { input: '' }, 'input must be a string, an array of strings'],
    ['no texts', { input: [] }, 'and not be empty; it is an empty array'],
    ['an empty text among others', { input: ['a', ''] }, 'input[1] must be a string or tokens'],
    ['a number', { input: 5 }, 'it is 5'],
    ['texts and tokens in one list', { input: ['a', 5] }, 'input[1] must be a string or tokens'],
    ['tokens that are none', { input: [1.5] }, 'input[0] must be a string or tokens'],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'field dimensions must be from 1 to 3072, not 0'],
    ['another encoding', { input: 'a', encoding_format: 'int8' }, 'one of float, base64, not "int8"'],
    [
      'too many numbers',
      { input: Array.from({ length: 1_025 }, () => 'a'), dimensions: 3_072 },
      'input makes 1025 vectors of 3072 numbers, at most 3145728 numbers are given in one response',
    ],
    ['too many tokens', { input: 'kite '.repeat(9_000) }, 'tokens, at most 8192 are taken: split the text'],
  ])('refuses %s with 400 and the reason', async (_, fields, message) => {
    await using transport = await open()
    const response = await post(transport, fields)
    const { error } = (await response.json()) as { error: { message: string; type: string } }
    expect(response.status).toBe(400)
    expect(error.message).toContain(message)
  })

  it('refuses a model for texts, and says which ones are for embeddings', async () => {
    await using transport = await open()
    const response = await post(transport, { model: 'sim-text-1', input: 'a' })
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: 'model_not_found' } },
    ])
    expect(response.headers.get('x-greenroom-hint')).toBe(
      'sim-text-1 is a model for text. Models for embedding: sim-embedding-1.',
    )
  })

  it('is billed, journaled, and open to rules', async () => {
    await using transport = await open({ prices: [{ models: '*', input: 100 }] })
    transport.sim.addRule({ match: { op: 'embeddings.*', prompt: '*kite*' }, attempts: [503, 'ok'] })
    expect((await post(transport, { input: ['a red kite', 'a boat'] })).status).toBe(503)
    const { usage } = await embed(transport, { input: ['a red kite', 'a boat'] })
    expect(transport.sim.journal().map(({ operation, status, model, prompt }) => [operation, status, model, prompt])).toEqual([
      ['embeddings.create', 503, 'sim-embedding-1', 'a red kite a boat'],
      ['embeddings.create', 200, 'sim-embedding-1', 'a red kite a boat'],
    ]) // prettier-ignore
    expect(transport.sim.usage()).toMatchObject([{ tokens: { input: usage.prompt_tokens, output: 0 } }])
  })
})

it('has 3072 dimensions by default where the model is called large', async () => {
  await using sim = createSimulator()
  const { data } = await embed({ call: sim.fetch }, { model: 'text-embedding-3-large', input: 'a kite' })
  expect(data[0]!.embedding).toHaveLength(3_072)
})

it('gives any text the same vector of length 1, alone or among others, in any simulator', async () => {
  await using one = createSimulator()
  await using other = createSimulator({ seed: 9 })
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }), async (text) => {
      const alone = await embed({ call: one.fetch }, { input: text, dimensions: 24 })
      const among = await embed({ call: other.fetch }, { input: ['a boat', text], dimensions: 24 })
      const { embedding } = alone.data[0]!
      expect(among.data[1]!.embedding).toEqual(embedding)
      expect(dot(embedding, embedding)).toBeCloseTo(1, 4)
    }),
    { numRuns: 50 },
  )
})
