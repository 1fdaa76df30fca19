import assert from 'node:assert/strict'
import createInstructor from '@instructor-ai/instructor'
import OpenAI from 'openai'
import { z } from 'zod'
import { apiKey, gatewayUrl, model, runSteps } from '../run-steps.js'

const Person = z.object({
  name: z.string(),
  age: z.number().int().nullable(),
  tags: z.array(z.string()),
  kind: z.enum(['author', 'reader']),
})
const openClient = (mode, key = apiKey) =>
  createInstructor({ client: new OpenAI({ apiKey: key, baseURL: `${gatewayUrl}/v1`, maxRetries: 0 }), mode })
const request = {
  model,
  max_retries: 0,
  messages: [{ role: 'user', content: 'Tell me about Ada' }],
  response_model: { schema: Person, name: 'Person' },
}
const steps = {}

for (const mode of ['TOOLS', 'FUNCTIONS', 'JSON', 'MD_JSON', 'JSON_SCHEMA']) {
  steps[`${mode}: structured output`] = async () => {
    Person.parse(await openClient(mode).chat.completions.create(request))
  }
}

await runSteps({
  async plain() {
    const { choices } = await openClient('TOOLS').chat.completions.create({
      model,
      messages: request.messages,
    })
    assert.match(choices[0].message.content, /ada/i)
  },
  ...steps,
  async 'TOOLS: streamed'() {
    const stream = await openClient('TOOLS').chat.completions.create({ ...request, stream: true })
    let last
    for await (const part of stream) last = part
    Person.parse(Object.fromEntries(Object.keys(Person.shape).map((key) => [key, last[key]])))
  },
  async 'error class'() {
    await assert.rejects(
      openClient('TOOLS', 'wrong').chat.completions.create(request),
      OpenAI.AuthenticationError,
    )
  },
})
