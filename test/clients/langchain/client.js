import assert from 'node:assert/strict'
import { ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings } from '@langchain/google-genai'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { StructuredOutputParser } from '@langchain/core/output_parsers'
import { createAgent, providerStrategy, tool, toolStrategy } from 'langchain'
import { z } from 'zod'
import {
  apiKey,
  assertAborted,
  assertEmbeddings,
  embeddedTexts,
  embeddingModel,
  gatewayUrl,
  model,
  runSteps,
  weatherQuestion,
} from '../run-steps.js'

// The Google client leaves a promise unhandled that is rejected when a stream is aborted.
process.on('unhandledRejection', () => {})

const options = { model, maxRetries: 0 }
const configuration = { baseURL: `${gatewayUrl}/v1` }
const openModels = (key) => ({
  chat: new ChatOpenAI({ ...options, apiKey: key, configuration }),
  responses: new ChatOpenAI({ ...options, apiKey: key, configuration, useResponsesApi: true }),
  google: new ChatGoogleGenerativeAI({ ...options, apiKey: key, baseUrl: gatewayUrl }),
})
const operations = { chat: 'chat.complete', responses: 'responses.create', google: 'text.stream' }

const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })
const getWeather = tool(async () => '{"degrees":17}', {
  name: 'get_weather',
  description: 'Weather of a city',
  schema: z.object({ city: z.string() }),
})
const steps = {}

for (const [name, chatModel] of Object.entries(openModels(apiKey))) {
  Object.assign(steps, {
    async [`${name}: plain`]() {
      const { text, usage_metadata: usage } = await chatModel.invoke('Why do kites fly?')
      assert.match(text, /kite/i)
      assert(usage.total_tokens > 0)
    },
    async [`${name}: streamed`]() {
      const whole = await chatModel.invoke('Why do kites fly?')
      let text = ''
      for await (const chunk of await chatModel.stream('Why do kites fly?')) text += chunk.text
      assert.equal(text, whole.text)
    },
    async [`${name}: tools and the turn after`]() {
      const agent = createAgent({ model: chatModel, tools: [getWeather] })
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: weatherQuestion }] })
      assert.deepEqual(messages[1].tool_calls[0].args, { city: 'Oslo' })
      assert.match(messages.at(-1).text, /17/)
      assert.equal(messages.length, 4)
    },
    async [`${name}: structured output`]() {
      Person.parse(await chatModel.withStructuredOutput(Person).invoke('Tell me about Ada'))
    },
    async [`${name}: an agent with a response format`]() {
      const agent = createAgent({
        model: chatModel,
        tools: [getWeather],
        responseFormat: toolStrategy(Person),
      })
      const result = await agent.invoke(
        { messages: [{ role: 'user', content: weatherQuestion }] },
        { recursionLimit: 10 },
      )
      Person.parse(result.structuredResponse)
    },
    async [`${name}: format instructions`]() {
      const parser = StructuredOutputParser.fromZodSchema(Person)
      const instructions = parser.getFormatInstructions()
      const answer = await chatModel.invoke([
        { role: 'system', content: instructions },
        { role: 'user', content: 'Tell me about Ada' },
      ])
      Person.parse(await parser.parse(answer.text))
    },
    async [`${name}: abort`]() {
      const controller = new AbortController()
      const stream = await chatModel.stream('[[tokens 4000]] Why?', { signal: controller.signal })
      await assert.rejects(async () => {
        for await (const _ of stream) controller.abort()
      })
      await assertAborted(operations[name])
    },
    async [`${name}: error class`]() {
      await assert.rejects(openModels('wrong')[name].invoke('Hello'), /401|API key|token/i)
      await assert.rejects(chatModel.invoke('[[error 429]]'), /429|rate/i)
    },
  })
}

await runSteps({
  ...steps,
  async 'chat: an agent with a native response format'() {
    const agent = createAgent({
      model: openModels(apiKey).chat,
      tools: [getWeather],
      responseFormat: providerStrategy(Person),
    })
    const result = await agent.invoke({ messages: [{ role: 'user', content: weatherQuestion }] })
    Person.parse(result.structuredResponse)
  },
  async 'chat: embeddings'() {
    const embeddings = new OpenAIEmbeddings({ model: embeddingModel, maxRetries: 0, apiKey, configuration })
    assertEmbeddings(await embeddings.embedDocuments(embeddedTexts))
  },
  async 'google: embeddings'() {
    const embeddings = new GoogleGenerativeAIEmbeddings({
      model: embeddingModel,
      maxRetries: 0,
      apiKey,
      baseUrl: gatewayUrl,
    })
    assertEmbeddings(await embeddings.embedDocuments(embeddedTexts))
  },
})
