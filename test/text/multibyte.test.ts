import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

async function ask(messages: readonly object[], more: object = {}): Promise<string> {
  await using sim = createSimulator({ seed: 1, text: { mode: 'multibyte' } })
  const response = await sim.fetch('https://gateway.example/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-text-1', messages, ...more }),
  })
  const { choices } = (await response.json()) as {
    choices: [{ message: { content: string | null; tool_calls?: unknown[] } }]
  }
  return choices[0].message.content ?? `${choices[0].message.tool_calls?.length} calls`
}

const user = (content: string): object => ({ role: 'user', content })

it('answers equal conversations with the same sentence, and others with another', async () => {
  const answer = await ask([user('Why do kites fly?')])
  expect(answer).toMatch(/🪁 – schön, größer, weiß/)
  expect(await ask([user('Why do kites fly?')], { max_tokens: 900 })).toBe(answer)
  expect(await ask([user('Why do balloons fly?')])).not.toBe(answer)
})

it('takes conversations as equal that differ only in an instant or a random id', async () => {
  const answer = await ask([user('It is 2026-11-28T18:00:00.000Z. Why do kites fly?')])
  expect(await ask([user('It is 2026-11-29T09:30:00Z. Why do kites fly?')])).toBe(answer)
})

it('calls tools as usual', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [
    { type: 'function', function: { name: 'get_weather', description: 'The weather', parameters } },
  ]
  expect(await ask([user('What is the weather in Oslo?')], { tools })).toBe('1 calls')
})
