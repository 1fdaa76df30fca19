import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embedMany,
  generateImage,
  generateText,
  hasToolCall,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai'
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

// Each provider in its default way: OpenAI's makes responses, not chat completions.
const openProviders = (key) => ({
  openai: createOpenAI({ apiKey: key, baseURL: `${gatewayUrl}/v1` }),
  anthropic: createAnthropic({ apiKey: key, baseURL: `${gatewayUrl}/v1` }),
  google: createGoogleGenerativeAI({ apiKey: key, baseURL: `${gatewayUrl}/v1beta` }),
  compatible: createOpenAICompatible({
    name: 'gateway',
    apiKey: key,
    baseURL: `${gatewayUrl}/v1`,
    supportsStructuredOutputs: true,
  }),
})
const providers = openProviders(apiKey)
const operations = {
  openai: 'responses.create',
  anthropic: 'messages.create',
  google: 'text.stream',
  compatible: 'chat.complete',
}

const Person = z.object({ name: z.string(), age: z.number().int().nullable(), tags: z.array(z.string()) })
const getWeather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => ({ degrees: 17 }),
})
const steps = {}

for (const [name, provider] of Object.entries(providers)) {
  const options = { model: provider(model), maxRetries: 0 }
  Object.assign(steps, {
    async [`${name}: plain`]() {
      const { text, usage } = await generateText({ ...options, prompt: 'Why do kites fly?' })
      assert.match(text, /kite/i)
      assert(usage.totalTokens > 0)
    },
    async [`${name}: streamed`]() {
      const whole = await generateText({ ...options, prompt: 'Why do kites fly?' })
      assert.equal(await streamText({ ...options, prompt: 'Why do kites fly?' }).text, whole.text)
    },
    async [`${name}: tools and the turn after`]() {
      const tools = { get_weather: getWeather }
      const { text, steps: turns } = await generateText({
        ...options,
        tools,
        stopWhen: stepCountIs(4),
        prompt: weatherQuestion,
      })
      assert.equal(turns.length, 2)
      assert.deepEqual(turns[0].toolCalls[0].input, { city: 'Oslo' })
      assert.match(text, /17/)
    },
    async [`${name}: a tool that stops`]() {
      const tools = { get_weather: getWeather, final_answer: tool({ inputSchema: Person }) }
      const { steps: turns } = await generateText({
        ...options,
        tools,
        toolChoice: 'required',
        stopWhen: [hasToolCall('final_answer'), stepCountIs(6)],
        prompt: weatherQuestion,
      })
      assert(turns.length <= 2)
      assert.equal(turns.at(-1).toolCalls[0].toolName, 'final_answer')
    },
    async [`${name}: structured output`]() {
      const { output } = await generateText({
        ...options,
        output: Output.object({ schema: Person }),
        prompt: 'Tell me about Ada',
      })
      Person.parse(output)
    },
    async [`${name}: abort`]() {
      const controller = new AbortController()
      const { textStream } = streamText({
        ...options,
        prompt: '[[tokens 4000]] Why?',
        abortSignal: controller.signal,
        onError: () => {},
      })
      for await (const _ of textStream) {
        controller.abort()
        break
      }
      await assertAborted(operations[name])
    },
    async [`${name}: error class`]() {
      const is = (status) => (error) => APICallError.isInstance(error) && error.statusCode === status
      const stranger = openProviders('wrong')[name](model)
      await assert.rejects(generateText({ ...options, model: stranger, prompt: 'Hello' }), is(401))
      await assert.rejects(generateText({ ...options, prompt: '[[error 429]]' }), is(429))
    },
  })
  // Anthropic has no embeddings.
  if (name === 'anthropic') continue
  Object.assign(steps, {
    async [`${name}: embeddings`]() {
      const { embeddings } = await embedMany({
        model: provider.embeddingModel(embeddingModel),
        values: embeddedTexts,
        maxRetries: 0,
      })
      assertEmbeddings(embeddings)
    },
  })
}

Object.assign(steps, {
  async 'openai: images'() {
    const options = { model: providers.openai.image('gpt-image-1'), maxRetries: 0 }
    const providerOptions = { openai: { quality: 'low', outputFormat: 'webp' } }
    const { image, usage } = await generateImage({
      ...options,
      providerOptions,
      prompt: 'a red fox',
      size: '1024x1024',
    })
    assert.equal(image.mediaType, 'image/webp')
    assert(usage.totalTokens > 0)
    const changed = await generateImage({
      ...options,
      providerOptions,
      prompt: { text: 'a blue balloon', images: [image.uint8Array] },
    })
    assert.notEqual(changed.image.base64, image.base64)
    const refused = (error) => APICallError.isInstance(error) && error.statusCode === 400
    await assert.rejects(generateImage({ ...options, prompt: 'a red fox', size: '7x7' }), refused)
  },
})

await runSteps(steps)
