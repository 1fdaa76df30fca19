import assert from 'node:assert/strict'
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { apiKey, assertAborted, gatewayUrl, model, runSteps, weatherQuestion } from '../run-steps.js'

setTracingDisabled(true)
const Person = z.object({ name: z.string(), age: z.number().int().nullable(), tags: z.array(z.string()) })
const getWeather = tool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async () => '{"degrees":17}',
})
const openRunner = (key, useResponses) =>
  new Runner({
    modelProvider: new OpenAIProvider({ apiKey: key, baseURL: `${gatewayUrl}/v1`, useResponses }),
    tracingDisabled: true,
  })
const steps = {}

for (const [name, useResponses] of [
  ['responses', true],
  ['chat', false],
]) {
  const runner = openRunner(apiKey, useResponses)
  const plain = new Agent({ name: 'Answerer', model })
  Object.assign(steps, {
    async [`${name}: plain`]() {
      assert.match((await runner.run(plain, 'Why do kites fly?')).finalOutput, /kite/i)
    },
    async [`${name}: streamed`]() {
      const whole = await runner.run(plain, 'Why do kites fly?')
      const stream = await runner.run(plain, 'Why do kites fly?', { stream: true })
      let text = ''
      for await (const piece of stream.toTextStream()) text += piece
      await stream.completed
      assert.equal(text, whole.finalOutput)
    },
    async [`${name}: tools and the turn after`]() {
      const agent = new Agent({ name: 'Forecaster', model, tools: [getWeather] })
      const { finalOutput, rawResponses } = await runner.run(agent, weatherQuestion, { maxTurns: 4 })
      assert.match(finalOutput, /17/)
      assert.equal(rawResponses.length, 2)
    },
    async [`${name}: required tools end`]() {
      const finalAnswer = tool({
        name: 'final_answer',
        description: 'Ends the run',
        parameters: z.object({ text: z.string() }),
        execute: async ({ text }) => text,
      })
      const agent = new Agent({
        name: 'Forecaster',
        model,
        tools: [getWeather, finalAnswer],
        modelSettings: { toolChoice: 'required' },
        resetToolChoice: false,
        toolUseBehavior: { stopAtToolNames: ['final_answer'] },
      })
      const { rawResponses } = await runner.run(agent, weatherQuestion, { maxTurns: 4 })
      assert.equal(rawResponses.length, 2)
    },
    async [`${name}: structured output`]() {
      const agent = new Agent({ name: 'Biographer', model, outputType: Person })
      Person.parse((await runner.run(agent, 'Tell me about Ada')).finalOutput)
    },
    async [`${name}: hand-off`]() {
      const weather = new Agent({ name: 'Weather agent', model, tools: [getWeather] })
      const triage = new Agent({ name: 'Triage agent', model, handoffs: [weather] })
      const { finalOutput } = await runner.run(triage, 'Transfer to the weather agent.', { maxTurns: 6 })
      assert(finalOutput)
    },
    async [`${name}: abort`]() {
      const controller = new AbortController()
      const stream = await runner.run(plain, '[[tokens 4000]] Why?', {
        stream: true,
        signal: controller.signal,
      })
      try {
        for await (const _ of stream.toTextStream()) controller.abort()
        await stream.completed
      } catch (error) {
        assert.match(String(error), /abort/i)
      }
      await assertAborted(useResponses ? 'responses.create' : 'chat.complete')
    },
    async [`${name}: error class`]() {
      const is = (status) => (error) => error.status === status
      await assert.rejects(openRunner('wrong', useResponses).run(plain, 'Hello'), is(401))
    },
  })
}

await runSteps(steps)
