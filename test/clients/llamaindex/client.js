import assert from 'node:assert/strict'
import { OpenAI, OpenAIEmbedding, openaiResponses } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { Document, Settings, tool, VectorStoreIndex } from 'llamaindex'
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

const options = { model, apiKey, baseURL: `${gatewayUrl}/v1`, maxRetries: 0 }
const llm = new OpenAI(options)
const embedModel = new OpenAIEmbedding({ ...options, model: embeddingModel })
Object.assign(Settings, { llm, embedModel })
const Person = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) })
const getWeather = tool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: () => '{"degrees":17}',
})
const ask = (content) => ({ messages: [{ role: 'user', content }] })

await runSteps({
  async plain() {
    assert.match((await llm.chat(ask('Why do kites fly?'))).message.content, /kite/i)
  },
  async streamed() {
    const whole = await llm.chat(ask('Why do kites fly?'))
    let text = ''
    for await (const { delta } of await llm.chat({ ...ask('Why do kites fly?'), stream: true })) text += delta
    assert.equal(text, whole.message.content)
  },
  async 'tools and the turn after'() {
    const { data } = await agent({ llm, tools: [getWeather] }).run(weatherQuestion)
    assert.match(JSON.stringify(data.result), /17/)
  },
  async 'structured output'() {
    const { message } = await llm.chat({ ...ask('Tell me about Ada'), responseFormat: Person })
    Person.parse(JSON.parse(message.content))
  },
  async 'an agent with a response format'() {
    const { data } = await agent({ llm, tools: [getWeather] }).run(weatherQuestion, {
      responseFormat: Person,
    })
    Person.parse(data.object)
  },
  async responses() {
    const { message } = await openaiResponses(options).chat(ask('Why do kites fly?'))
    assert.match(JSON.stringify(message.content), /kite/i)
  },
  async abort() {
    const controller = new AbortController()
    const { signal } = controller
    const session = new OpenAI({ ...options, additionalSessionOptions: { fetchOptions: { signal } } })
    const stream = await session.chat({ ...ask('[[tokens 4000]] Why?'), stream: true })
    for await (const _ of stream) controller.abort()
    await assertAborted('chat.complete')
  },
  async 'error class'() {
    await assert.rejects(
      new OpenAI({ ...options, apiKey: 'wrong' }).chat(ask('Hello')),
      (error) => error.status === 401 && error.constructor.name === 'AuthenticationError',
    )
  },
  async embeddings() {
    assertEmbeddings(await embedModel.getTextEmbeddings(embeddedTexts))
  },
  async 'a question about documents'() {
    const documents = embeddedTexts.map((text) => new Document({ text }))
    const index = await VectorStoreIndex.fromDocuments(documents)
    const { response, sourceNodes } = await index
      .asQueryEngine({ similarityTopK: 1 })
      .query({ query: 'red fox' })
    assert(response)
    assert.match(sourceNodes[0].node.text, /fox/)
  },
})
