import assert from 'node:assert/strict'
import {
  apiKey,
  assertAborted,
  assertEmbeddings,
  embeddedTexts,
  embeddingModel,
  gatewayUrl,
  model,
  weatherQuestion,
  weatherSchema,
} from './run-steps.js'

/**
 * The steps of the `openai` package, which are the same in each major version.
 * @param {any} OpenAI the class
 * @param {{ zod: any, zodResponseFormat: any, zodTextFormat: any }} helpers
 */
export function makeOpenAiSteps(OpenAI, { zod: z, zodResponseFormat, zodTextFormat }) {
  const client = new OpenAI({ apiKey, baseURL: `${gatewayUrl}/v1`, maxRetries: 0 })
  const ask = (content) => ({ model, messages: [{ role: 'user', content }] })
  const Person = z.object({
    name: z.string(),
    age: z.number().int().nullable(),
    tags: z.array(z.string()),
    kind: z.enum(['author', 'reader']),
  })
  const tools = [
    { type: 'function', function: { name: 'get_weather', parameters: weatherSchema, strict: true } },
  ]

  return {
    async plain() {
      const { choices, usage } = await client.chat.completions.create(ask('Why do kites fly?'))
      assert.match(choices[0].message.content, /kite/i)
      assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
    },
    async streamed() {
      const whole = await client.chat.completions.create(ask('Why do kites fly?'))
      const stream = await client.chat.completions.create({ ...ask('Why do kites fly?'), stream: true })
      let text = ''
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      assert.equal(text, whole.choices[0].message.content)
    },
    async 'tools and the turn after'() {
      const first = await client.chat.completions.create({ ...ask(weatherQuestion), tools })
      const call = first.choices[0].message.tool_calls[0]
      assert.equal(call.function.name, 'get_weather')
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Oslo' })
      const second = await client.chat.completions.create({
        model,
        tools,
        messages: [
          ...ask(weatherQuestion).messages,
          first.choices[0].message,
          { role: 'tool', tool_call_id: call.id, content: '{"degrees":17}' },
        ],
      })
      assert.match(second.choices[0].message.content, /17/)
    },
    async 'structured output'() {
      const completions = client.beta?.chat?.completions ?? client.chat.completions
      const { choices } = await completions.parse({
        ...ask('Tell me about Ada'),
        response_format: zodResponseFormat(Person, 'person'),
      })
      Person.parse(choices[0].message.parsed)
    },
    async abort() {
      const stream = await client.chat.completions.create({ ...ask('[[tokens 4000]] Why?'), stream: true })
      for await (const _ of stream) break
      await assertAborted('chat.complete')
    },
    async 'error class'() {
      const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${gatewayUrl}/v1`, maxRetries: 0 })
      await assert.rejects(stranger.chat.completions.create(ask('Hello')), OpenAI.AuthenticationError)
      await assert.rejects(client.chat.completions.create(ask('[[error 429]]')), OpenAI.RateLimitError)
      await assert.rejects(
        client.chat.completions.create({ ...ask('Hello'), n: 1000 }),
        OpenAI.BadRequestError,
      )
    },
    async embeddings() {
      const { data } = await client.embeddings.create({
        model: embeddingModel,
        input: embeddedTexts,
        dimensions: 256,
      })
      const vectors = data.map((item) => item.embedding)
      assert.equal(vectors[0].length, 256)
      assertEmbeddings(vectors)
      const floats = await client.embeddings.create({
        model: embeddingModel,
        input: embeddedTexts[0],
        dimensions: 256,
        encoding_format: 'float',
      })
      floats.data[0].embedding.forEach((value, index) => assert(Math.abs(value - vectors[0][index]) < 1e-6))
    },
    async responses() {
      const first = await client.responses.create({ model, input: 'Why do kites fly?' })
      assert.match(first.output_text, /kite/i)
      const stream = await client.responses.create({ model, input: 'Why do kites fly?', stream: true })
      let text = ''
      for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta
      assert.equal(text, first.output_text)
      const next = await client.responses.create({ model, input: 'Go on.', previous_response_id: first.id })
      assert.equal(next.previous_response_id, first.id)
      const parsed = await client.responses.parse({
        model,
        input: 'Tell me about Ada',
        text: { format: zodTextFormat(Person, 'person') },
      })
      Person.parse(parsed.output_parsed)
    },
    async 'responses with tools'() {
      const responseTools = [
        { type: 'function', name: 'get_weather', parameters: weatherSchema, strict: true },
      ]
      const first = await client.responses.create({ model, input: weatherQuestion, tools: responseTools })
      const call = first.output.find((item) => item.type === 'function_call')
      assert.deepEqual(JSON.parse(call.arguments), { city: 'Oslo' })
      const second = await client.responses.create({
        model,
        previous_response_id: first.id,
        tools: responseTools,
        input: [{ type: 'function_call_output', call_id: call.call_id, output: '{"degrees":17}' }],
      })
      assert.match(second.output_text, /17/)
    },
  }
}
