// The native vendor's SDK against a server on a free port: text, a stream, JSON by a schema, and a rate limit.
//   node generate.js
import { GoogleGenAI, Type } from '@google/genai'
import { startServer } from 'greenroom/server'

const server = await startServer({
  port: 0,
  text: { timing: 'instant', answers: [{ prompt: '*capital of France*', text: 'Paris.' }] },
  throttles: [{ match: { op: 'text.*' }, rate: { requests: 4, per: '1m' } }],
})
const { models } = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: server.url } })
const model = 'sim-text-1'

const answer = await models.generateContent({ model, contents: 'What is the capital of France?' })
console.log(answer.text, answer.usageMetadata.totalTokenCount, 'tokens')

let chunks = 0
for await (const { text } of await models.generateContentStream({ model, contents: 'Why do kites fly?' })) {
  if (text) chunks++
}
console.log('streamed', chunks > 3)

const city = { type: Type.OBJECT, properties: { name: { type: Type.STRING } }, required: ['name'] }
const json = await models.generateContent({
  model,
  contents: 'Name a city',
  config: { responseMimeType: 'application/json', responseSchema: city },
})
console.log('city', typeof JSON.parse(json.text).name)

const blocked = await models.generateContent({ model, contents: 'something bad [[block safety]]' })
console.log('blocked for', blocked.promptFeedback.blockReason)

const refused = await models.generateContent({ model, contents: 'one more' }).catch((error) => error)
console.log('refused with', refused.status)

await server.close()
