import assert from 'node:assert/strict'
import { checkTypes } from './exact-types.js'
import { apiKey, assertAborted, gatewayUrl, model, weatherQuestion, weatherSchema } from './run-steps.js'

const operation = 'messages.create'
const ask = (content) => ({ model, max_tokens: 2_000, messages: [{ role: 'user', content }] })
const tools = [{ name: 'get_weather', description: 'Weather of a city', input_schema: weatherSchema }]
const thinking = { type: 'enabled', budget_tokens: 1_024 }

/**
 * The steps of Anthropic's package, which are the same in each major version. The client has its default settings: it
 * repeats a request twice.
 * @param {any} Anthropic the class
 * @param {{ parse: (client: any, fields: object) => Promise<unknown>; newerFields?: Record<string, string> }} version how it
 * asks for an answer by a schema, and which fields that the gateway sends its types do not know yet
 */
export function makeAnthropicSteps(Anthropic, { parse, newerFields }) {
  const client = new Anthropic({ apiKey, baseURL: gatewayUrl })

  return {
    async plain() {
      const { content, usage } = await client.messages.create(ask('Why do kites fly?'))
      assert.match(content[0].text, /kite/i)
      assert.equal(usage.cache_read_input_tokens, 0)
      const counted = await client.messages.countTokens({
        model,
        messages: ask('Why do kites fly?').messages,
      })
      assert.equal(counted.input_tokens, usage.input_tokens)
    },
    async streamed() {
      const whole = await client.messages.create(ask('Why do kites fly?'))
      const streamed = await client.messages.stream(ask('Why do kites fly?')).finalMessage()
      assert.deepEqual(streamed.content, whole.content)
      assert.deepEqual(streamed.usage, whole.usage)
    },
    async 'tools and the turn after'() {
      const first = await client.messages.create({ ...ask(weatherQuestion), tools })
      assert.equal(first.stop_reason, 'tool_use')
      const streamed = await client.messages.stream({ ...ask(weatherQuestion), tools }).finalMessage()
      assert.deepEqual(streamed.content[0].input, { city: 'Oslo' })
      const results = first.content.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: '{"degrees":17}',
      }))
      const messages = [
        ...ask(weatherQuestion).messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ]
      const second = await client.messages.create({ ...ask(''), messages, tools })
      assert.match(second.content[0].text, /17/)
    },
    async 'tools that the SDK runs'() {
      const run = async () => '{"degrees":17}'
      const runner = client.beta.messages.toolRunner({
        ...ask(weatherQuestion),
        tools: [{ ...tools[0], run, parse: (input) => input }],
      })
      const { content } = await runner.runUntilDone()
      assert.match(content[0].text, /17/)
    },
    async thinking() {
      const { content } = await client.messages.create({ ...ask('Why do kites fly?'), thinking })
      assert.deepEqual(
        content.map(({ type }) => type),
        ['thinking', 'text'],
      )
      const messages = [
        ...ask('Why do kites fly?').messages,
        { role: 'assistant', content },
        { role: 'user', content: 'Go on.' },
      ]
      const { stop_reason } = await client.messages.create({ ...ask(''), messages, thinking })
      assert.equal(stop_reason, 'end_turn')
    },
    async 'structured output'() {
      await parse(client, ask('Tell me about Ada'))
    },
    async models() {
      const { data } = await client.models.list()
      assert(data.some(({ id }) => id === model))
      assert.equal((await client.models.retrieve(model)).type, 'model')
    },
    async abort() {
      const stream = await client.messages.create({ ...ask('[[tokens 4000]] Why?'), stream: true })
      for await (const _ of stream) break
      await assertAborted(operation)
    },
    async 'error class'() {
      const stranger = new Anthropic({ apiKey: 'wrong', baseURL: gatewayUrl })
      await assert.rejects(stranger.messages.create(ask('Hello')), Anthropic.AuthenticationError)
      await assert.rejects(client.messages.create({ ...ask('Hello'), max_tokens: -1 }), (error) => {
        assert(error instanceof Anthropic.BadRequestError)
        assert.match(error.message, /max_tokens/)
        assert.match(error.requestID, /^\d{23}/)
        return true
      })
      await assert.rejects(client.messages.create(ask('[[error 529]]')), { status: 529 })
    },
    async 'retry after 429'() {
      await next({ respond: { status: 429, retryAfter: '1s' } })
      await client.messages.create(ask('Hello'))
      assert.deepEqual(await lastStatuses(2), [429, 200])
      await assert.rejects(client.messages.create(ask('[[error 429]]')), Anthropic.RateLimitError)
      assert.deepEqual(await lastStatuses(3), [429, 429, 429])
    },
    async 'time-out'() {
      const pending = client.messages.create(ask('[[tokens 4000]] Why?'), { timeout: 300, maxRetries: 0 })
      await assert.rejects(pending, Anthropic.APIConnectionTimeoutError)
    },
    async 'broken streams'() {
      const read = (content) => client.messages.stream(ask(content)).finalMessage()
      await assert.rejects(read('[[cut after 3]] Why do kites fly?'))
      await assert.rejects(read('[[error 529 after 3]] Why do kites fly?'), (error) => {
        assert.equal(error.error.error.type, 'overloaded_error')
        return true
      })
      await next({ stream: { cut: { afterChunk: 3 } } })
      const { stop_reason = null } = await read('Why do kites fly?').catch(() => ({}))
      assert.equal(stop_reason, null)
    },
    async types() {
      const imports = "import type Anthropic from '@anthropic-ai/sdk'"
      checkTypes('objects.ts', imports, await collectObjects(client), newerFields)
    },
  }
}

/** Every kind of object that the gateway sends, by its type. */
async function collectObjects(client) {
  const requests = [
    ask('Why do kites fly?'),
    { ...ask(weatherQuestion), tools },
    { ...ask('Why do kites fly?'), thinking },
    { ...ask('[[say: One two]]'), stop_sequences: [' two'] },
    { ...ask('Why do kites fly?'), max_tokens: 3 },
    ask('[[block]]'),
  ]
  const messages = await Promise.all(requests.map((fields) => client.messages.create(fields)))
  const events = []
  for (const fields of requests) {
    for await (const event of await client.messages.create({ ...fields, stream: true })) events.push(event)
  }
  const counts = [await client.messages.countTokens({ model, messages: requests[0].messages })]
  const models = [...(await client.models.list()).data, await client.models.retrieve(model)]
  const refused = await client.messages.create({ ...requests[0], max_tokens: -1 }).catch((error) => error)
  return {
    'Anthropic.Message': messages,
    'Anthropic.RawMessageStreamEvent': events,
    'Anthropic.MessageTokensCount': counts,
    'Anthropic.ModelInfo': models,
    'Anthropic.ErrorResponse': [refused.error],
  }
}

/** Changes the next request. */
async function next(effect) {
  const body = JSON.stringify({ op: operation, ...effect })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${gatewayUrl}/_greenroom/next`, { method: 'POST', headers, body })
  assert(response.ok, await response.text())
}

/** The statuses of the newest requests, the oldest first. */
async function lastStatuses(count) {
  const response = await fetch(`${gatewayUrl}/_greenroom/journal?operation=${operation}&last=${count}`)
  return (await response.json()).map(({ status }) => status)
}
