// OpenAI's SDK in a test, without a port: a streamed answer, then a tool call and its result.
//   node chat.js
import { createSimulator } from 'greenroom'
import OpenAI from 'openai'

const sim = createSimulator({ seed: 7 })
const client = new OpenAI({ apiKey: 'sk-test', baseURL: 'https://gateway.example/v1', fetch: sim.fetch })
const model = 'sim-text-1'

const stream = await client.chat.completions.create({
  model,
  messages: [{ role: 'user', content: 'Why do kites fly?' }],
  stream: true,
})
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '')
console.log()

const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const tools = [{ type: 'function', function: weather }]
const messages = [{ role: 'user', content: 'What is the weather in Oslo?' }]
const calling = await client.chat.completions.create({ model, messages, tools })
const { message } = calling.choices[0]
const [call] = message.tool_calls
console.log('calls', call.function.name, call.function.arguments)

const result = { role: 'tool', tool_call_id: call.id, content: '{"temperature": 17}' }
const final = await client.chat.completions.create({
  model,
  messages: [...messages, message, result],
  tools,
})
console.log(final.choices[0].message.content)

console.log('exchanges', sim.journal().length, 'tokens', sim.usage()[0].tokens)
await sim.close()
