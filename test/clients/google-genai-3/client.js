import assert from 'node:assert/strict'
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai'
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
  weatherSchema,
} from '../run-steps.js'

const openClient = (key) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gatewayUrl } })
const { models } = openClient(apiKey)
const tools = [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: weatherSchema }] }]

await runSteps({
  async plain() {
    const response = await models.generateContent({ model, contents: 'Why do kites fly?' })
    assert.match(response.text, /kite/i)
    assert(response.usageMetadata.totalTokenCount > 0)
  },
  async streamed() {
    const whole = await models.generateContent({ model, contents: 'Why do kites fly?' })
    let text = ''
    for await (const chunk of await models.generateContentStream({ model, contents: 'Why do kites fly?' })) {
      text += chunk.text ?? ''
    }
    assert.equal(text, whole.text)
  },
  async 'tools and the turn after'() {
    const question = { role: 'user', parts: [{ text: weatherQuestion }] }
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }
    const first = await models.generateContent({ model, contents: [question], config: { tools, toolConfig } })
    const [call] = first.functionCalls
    assert.deepEqual([call.name, call.args], ['get_weather', { city: 'Oslo' }])
    const functionResponse = { name: call.name, id: call.id, response: { degrees: 17 } }
    const second = await models.generateContent({
      model,
      contents: [question, first.candidates[0].content, { role: 'user', parts: [{ functionResponse }] }],
      config: { tools },
    })
    assert.match(second.text, /17/)
  },
  async 'structured output'() {
    const responseSchema = {
      type: Type.OBJECT,
      properties: {
        name: { type: Type.STRING },
        age: { type: Type.INTEGER, nullable: true },
        tags: { type: Type.ARRAY, items: { type: Type.STRING } },
      },
      required: ['name', 'age', 'tags'],
    }
    const config = { responseMimeType: 'application/json', responseSchema }
    const { text } = await models.generateContent({ model, contents: 'Tell me about Ada', config })
    const person = JSON.parse(text)
    assert.equal(typeof person.name, 'string')
    assert(person.age === null || Number.isInteger(person.age))
    assert(Array.isArray(person.tags))
  },
  async abort() {
    const controller = new AbortController()
    const stream = await models.generateContentStream({
      model,
      contents: '[[tokens 4000]] Why?',
      config: { abortSignal: controller.signal },
    })
    await stream.next()
    controller.abort()
    await assert.rejects(async () => {
      for await (const _ of stream);
    })
    await assertAborted('text.stream')
  },
  async 'error class'() {
    const unauthorized = (error) => error instanceof ApiError && error.status === 401
    const limited = (error) => error instanceof ApiError && error.status === 429
    const ask = (contents) => ({
      model,
      contents,
      config: { httpOptions: { retryOptions: { attempts: 1 } } },
    })
    await assert.rejects(openClient('wrong').models.generateContent(ask('Hello')), unauthorized)
    await assert.rejects(models.generateContent(ask('[[error 429]]')), limited)
  },
  async embeddings() {
    const { embeddings } = await models.embedContent({ model: embeddingModel, contents: embeddedTexts })
    assertEmbeddings(embeddings.map((embedding) => embedding.values))
  },
  async images() {
    const config = { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9' } }
    const ask = { model, contents: 'Draw a red fox.', config }
    const imageOf = (parts) => parts.find(({ inlineData }) => inlineData)?.inlineData
    await hurry('text.generate')
    const { candidates, text } = await models.generateContent(ask)
    const { mimeType, data } = imageOf(candidates[0].content.parts)
    assert.equal(mimeType, 'image/png')
    assert.equal(Buffer.from(data, 'base64').toString('latin1', 1, 4), 'PNG')
    assert.notEqual(text, '')
    await hurry('text.stream')
    const parts = []
    for await (const chunk of await models.generateContentStream(ask))
      parts.push(...(chunk.candidates[0].content.parts ?? []))
    assert.equal(imageOf(parts).data, data)
    await hurry('text.generate')
    const turn = { role: 'user', parts: [{ text: 'Add a hat.' }] }
    const contents = [{ role: 'user', parts: [{ text: 'Draw a red fox.' }] }, candidates[0].content, turn]
    const changed = await models.generateContent({ ...ask, contents })
    assert.notEqual(imageOf(changed.candidates[0].content.parts).data, data)
  },
  async chat() {
    const chat = openClient(apiKey).chats.create({ model })
    await chat.sendMessage({ message: 'Why do kites fly?' })
    const { text } = await chat.sendMessage({ message: 'And balloons?' })
    assert.match(text, /balloon/i)
  },
})

/** The next image takes no time. */
async function hurry(op) {
  const body = JSON.stringify({ op, stream: { tokensPerSecond: 100_000 } })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${gatewayUrl}/_greenroom/next`, { method: 'POST', headers, body })
  assert(response.ok, await response.text())
}
