// axios and got in a process whose requests MSW intercepts: no server, no port.
import assert from 'node:assert/strict'
import axios, { AxiosError } from 'axios'
import got, { HTTPError } from 'got'
import { createSimulator } from 'greenroom'
import { setupServer } from 'msw/node'
import {
  apiKey,
  assertEmbeddings,
  embeddedTexts,
  embeddingModel,
  model,
  runSteps,
  weatherQuestion,
  weatherSchema,
} from '../run-steps.js'

const url = 'https://gateway.example/v1'
const sim = createSimulator({
  text: { timing: { firstToken: '50ms', tokensPerSecond: 100 } },
  clock: { mode: 'auto' },
})
const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
server.listen({ onUnhandledRequest: 'error' })

const headers = (key) => ({ authorization: `Bearer ${key}` })
const ask = (content, fields = {}) => ({ model, messages: [{ role: 'user', content }], ...fields })
const isAborted = () => sim.journal({ last: 1 })[0].outcome === 'aborted'

/** What both clients do in their own way. */
const clients = {
  axios: {
    post: async (path, body, key = apiKey) =>
      (await axios.post(url + path, body, { headers: headers(key) })).data,
    stream: async (body, signal) =>
      (
        await axios.post(`${url}/chat/completions`, body, {
          headers: headers(apiKey),
          responseType: 'stream',
          signal,
        })
      ).data,
    hasStatus: (status) => (error) => error instanceof AxiosError && error.response.status === status,
  },
  got: {
    post: (path, body, key = apiKey) =>
      got.post(url + path, { json: body, headers: headers(key), retry: { limit: 0 } }).json(),
    stream: async (body, signal) =>
      got.stream.post(`${url}/chat/completions`, { json: body, headers: headers(apiKey), signal }),
    hasStatus: (status) => (error) => error instanceof HTTPError && error.response.statusCode === status,
  },
}
const steps = {}

for (const [name, { post, stream, hasStatus }] of Object.entries(clients)) {
  const chat = (body, key) => post('/chat/completions', body, key)
  Object.assign(steps, {
    async [`${name}: plain`]() {
      assert.match((await chat(ask('Why do kites fly?'))).choices[0].message.content, /kite/i)
    },
    async [`${name}: streamed`]() {
      const whole = await chat(ask('Why do kites fly?'))
      let received = ''
      for await (const bytes of await stream(ask('Why do kites fly?', { stream: true }))) received += bytes
      const deltas = [...received.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json))
      const text = deltas.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
      assert.equal(text, whole.choices[0].message.content)
    },
    async [`${name}: tools and the turn after`]() {
      const tools = [{ type: 'function', function: { name: 'get_weather', parameters: weatherSchema } }]
      const first = await chat(ask(weatherQuestion, { tools }))
      const { message } = first.choices[0]
      assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: 'Oslo' })
      const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"degrees":17}' }
      const messages = [...ask(weatherQuestion).messages, message, result]
      assert.match((await chat({ model, tools, messages })).choices[0].message.content, /17/)
    },
    async [`${name}: structured output`]() {
      const response_format = { type: 'json_schema', json_schema: { name: 'weather', schema: weatherSchema } }
      const { choices } = await chat(ask('Tell me about Oslo', { response_format }))
      assert.equal(typeof JSON.parse(choices[0].message.content).city, 'string')
    },
    async [`${name}: abort`]() {
      sim.clock.set('manual')
      const controller = new AbortController()
      const pending = stream(ask('[[tokens 4000]] Why?', { stream: true }), controller.signal)
      const reading = pending.then(async (body) => {
        for await (const _ of body);
      })
      const refused = assert.rejects(reading)
      while (sim.journal({ last: 1 })[0]?.outcome !== 'pending') {
        await new Promise((resolve) => setImmediate(resolve))
      }
      controller.abort()
      await refused
      sim.clock.set('auto')
      assert(isAborted())
    },
    async [`${name}: error class`]() {
      await assert.rejects(chat(ask('Hello'), 'wrong'), hasStatus(401))
      await assert.rejects(chat(ask('[[error 429]]')), hasStatus(429))
    },
    async [`${name}: embeddings`]() {
      const { data } = await post('/embeddings', { model: embeddingModel, input: embeddedTexts })
      assertEmbeddings(data.map(({ embedding }) => embedding))
    },
  })
}

await runSteps(steps)
server.close()
await sim.close()
