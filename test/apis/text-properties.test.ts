import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import {
  ask,
  eventsOf,
  postChat,
  postJson,
  postNative,
  say,
  textModel,
  textOf,
  type NativeAnswer,
} from '../support/text.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

const embedded = (warnings: string[] = []) => {
  const sim = createSimulator({ cacheDir: false, onWarning: (message) => warnings.push(message) })
  return { sim, transport: { call: (path: string, init?: RequestInit) => sim.fetch(path, init) } }
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, 0, -1, 1e9, '', 'x', true, [], {}),
)

const parts = fc.array(
  fc.oneof(fc.record({ text: fc.string() }), fc.record({ functionCall: anything }), anything),
  { maxLength: 3 },
)
const contents = fc.oneof(
  fc.array(fc.record({ role: fc.constantFrom('user', 'model', 'function', 'x'), parts }), { maxLength: 4 }),
  anything,
)
const nativeBody = fc.record(
  {
    contents,
    systemInstruction: anything,
    generationConfig: anything,
    tools: anything,
    toolConfig: anything,
  },
  { requiredKeys: ['contents'] },
)

const content = fc.oneof(
  fc.string(),
  fc.array(fc.record({ type: fc.constant('text'), text: fc.string() })),
  anything,
)
const messages = fc.array(
  fc.record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'x'),
    content,
    tool_calls: anything,
  }),
  { maxLength: 4 },
)
const chatBody = fc.record(
  {
    messages: fc.oneof(messages, anything),
    stream: fc.oneof(fc.boolean(), anything),
    n: anything,
    stop: anything,
    tools: anything,
    tool_choice: anything,
    response_format: anything,
    logprobs: anything,
    extra_body: anything,
  },
  { requiredKeys: ['messages'] },
)

it('answers or refuses any native request, and never breaks', async () => {
  const warnings: string[] = []
  const { sim, transport } = embedded(warnings)
  const actions = [
    'generateContent',
    'streamGenerateContent',
    'countTokens',
    'embedContent',
    'batchEmbedContents',
  ]
  await fc.assert(
    fc.asyncProperty(nativeBody, fc.constantFrom(...actions), async (body, action) => {
      const model = action.includes('mbed') ? 'sim-embedding-1' : textModel
      const path = `/v1beta/models/${model}:${action}`
      const response = await postJson(transport, path, { ...body, content: body.contents, requests: [body] })
      await response.text()
      expect([200, 400]).toContain(response.status)
    }),
    { numRuns: 300 },
  )
  expect(warnings).toEqual([])
  await sim.close()
})

it('answers or refuses any chat request, and never breaks', async () => {
  const warnings: string[] = []
  const { sim, transport } = embedded(warnings)
  await fc.assert(
    fc.asyncProperty(chatBody, async (body) => {
      const response = await postChat(transport, body)
      await response.text()
      expect([200, 400]).toContain(response.status)
    }),
    { numRuns: 300 },
  )
  expect(warnings).toEqual([])
  await sim.close()
})

it('answers the same in either API, streamed or not, with counts that add up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1 }), fc.integer(), async (prompt, seed) => {
      const sim = createSimulator({ cacheDir: false, seed, promptDirectives: false })
      const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
      const plain = (await (
        await postNative(transport, 'generateContent', say(prompt))
      ).json()) as NativeAnswer
      const streamed = eventsOf(
        await (await postNative(transport, 'streamGenerateContent', say(prompt))).text(),
      ) as NativeAnswer[]
      const chat = (await (await postChat(transport, ask(prompt))).json()) as {
        choices: { message: { content: string } }[]
        usage: { total_tokens: number }
      }
      expect(streamed.map((event) => textOf(event)).join('')).toBe(textOf(plain))
      expect(streamed.at(-1)!.usageMetadata['totalTokenCount']).toBe(plain.usageMetadata['totalTokenCount'])
      expect(chat.choices[0]!.message.content).toBe(textOf(plain))
      expect(chat.usage.total_tokens).toBe(plain.usageMetadata['totalTokenCount'])
      await sim.close()
    }),
    { numRuns: 50 },
  )
})

it('leaves directives alone if they are switched off', async () => {
  const sim = createSimulator({ cacheDir: false, promptDirectives: false })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  for (const prompt of ['[[error 503]]', '[[block]]', '[[cut]]']) {
    expect((await postChat(transport, ask(`hello ${prompt}`))).status).toBe(200)
  }
  await sim.close()
})

it('answers the largest requests quickly', async () => {
  const { sim, transport } = embedded()
  await postChat(transport, ask('warm up'))
  const elapsedMs = startProcessorTimer()
  const fields = { ...ask('write a story [[tokens 20000]]'), n: 128, stream: true }
  const response = await postChat(transport, fields)
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  expect(elapsedMs()).toBeLessThan(5_000)
  await sim.close()
})
