import { faker } from '@faker-js/faker/locale/en'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const ask = async (seed: string): Promise<string> => {
  await using sim = createSimulator({ seed, cacheDir: false })
  const response = await sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-text-1',
      messages: [{ role: 'user', content: 'Invent a customer.' }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'customer',
          schema: { type: 'object', properties: { firstName: { type: 'string' } }, required: ['firstName'] },
        },
      },
    }),
  })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return (JSON.parse(choices[0]!.message.content) as { firstName: string }).firstName
}

it("fills a text with the words of @faker-js/faker, and leaves a test's own faker alone", async () => {
  faker.seed(1)
  const ownWord = faker.lorem.word()
  faker.seed(1)
  const [first, again, other] = [await ask('one'), await ask('one'), await ask('two')]
  expect(faker.definitions.person.first_name?.generic).toContain(first)
  expect(again).toBe(first)
  expect(other).not.toBe(first)
  expect(faker.lorem.word()).toBe(ownWord)
})
