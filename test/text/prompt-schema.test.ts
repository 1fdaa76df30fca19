import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import type { TextRequest } from '../../src/text/spec.ts'
import { loadWriter } from '../../src/text/write/writer.ts'
import { ask, chance } from './ask.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

const writer = await loadWriter()

const schema = {
  $defs: { Address: { properties: { city: { title: 'City', type: 'string' } }, required: ['city'], title: 'Address', type: 'object' } }, // prettier-ignore
  properties: { name: { title: 'Name', type: 'string' }, age: { title: 'Age', type: 'integer' }, address: { $ref: '#/$defs/Address' } }, // prettier-ignore
  required: ['name', 'age', 'address'],
  title: 'User',
  type: 'object',
}
const isValid = new Ajv2020({ strict: false }).compile(schema)
const indented = JSON.stringify(schema, null, 2)

const say = (prompt: string, changes: Partial<TextRequest> = {}): string =>
  writer.answer(ask(prompt, changes), chance(1, prompt)).candidates[0]!.text

/** Instructions as clients write them that know no structured output, without their schema. */
const instructor = (rest = ''): string =>
  `As a genius expert, your task is to understand the content and provide\nthe parsed objects in json that match the following json_schema:\n\n${indented}\n\nMake sure to return an instance of the JSON, not the schema itself\n${rest}`
const langChain = `You must format your output as a JSON value that adheres to a given "JSON Schema" instance.

For example, the example "JSON Schema" instance {"properties": {"foo": {"description": "a list of test words", "type": "array", "items": {"type": "string"}}}, "required": ["foo"]}
would match an object with one required property, "foo". The object {"foo": ["bar", "baz"]} is a well-formatted instance.

Here is the JSON Schema instance your output must adhere to. Include the enclosing markdown codeblock:
\`\`\`json
${JSON.stringify(schema)}
\`\`\`
`
const question = 'Ann from Oslo is 31.'

it.each([
  ['a system message (instructor, JSON)', question, { system: instructor(), output: { kind: 'json' } }],
  ['a system message alone', question, { system: instructor() }],
  ['the system message of an object generator', question, { system: `JSON schema:\n${indented}\nYou MUST answer with a JSON object that matches the JSON schema above.` }], // prettier-ignore
  ['the prompt (query engines)', `${question}\n\nHere's a JSON schema to follow:\n${indented}\n\nOutput a valid JSON object but do not repeat the schema.\n`, {}], // prettier-ignore
] satisfies [string, string, Partial<TextRequest>][])('answers JSON that fits the schema in %s', (_name, prompt, changes) => {
  const value: unknown = JSON.parse(say(prompt, changes as Partial<TextRequest>))
  expect(isValid(value), JSON.stringify(value)).toBe(true)
  expect(value).toMatchObject({ age: 31, address: { city: 'Oslo' } })
}) // prettier-ignore

it.each([
  ['instructor, MD_JSON', `${question}\n\nReturn the correct JSON response within a \`\`\`json codeblock. not the JSON_SCHEMA`, { system: instructor() }], // prettier-ignore
  ['format instructions', `Extract the person.\n${langChain}\n${question}`, {}],
] satisfies [string, string, Partial<TextRequest>][])('fences the JSON if the prompt asks for a code block: %s', (_name, prompt, changes) => {
  const [, inside = ''] = /^```json\n([\s\S]*)\n```$/.exec(say(prompt, changes)) ?? []
  const value: unknown = JSON.parse(inside)
  expect(isValid(value), inside).toBe(true)
  expect(value).toMatchObject({ age: 31, address: { city: 'Oslo' } })
}) // prettier-ignore

it.each([
  ['is only to be explained', `What does this mean? ${indented}`],
  ['is only an example of data', 'Answer in JSON like {"name": "Ann"}'],
  ['is broken', `Reply with JSON that matches ${indented.slice(0, -3)}`],
  ['has no value', 'Reply with JSON that matches {"type":"object","properties":{"a":{"type":"integer","minimum":3,"maximum":1}},"required":["a"]}'], // prettier-ignore
  ['leads nowhere', 'Reply with JSON that matches {"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"]}'], // prettier-ignore
])('answers in prose if the schema in the prompt %s', (_name, prompt) => {
  expect(say(prompt)).toMatch(/^[A-Z"][^{]{20}/)
})

it('looks for a schema in bounded time', () => {
  const elapsedMs = startProcessorTimer()
  say(`Reply with JSON that matches the type "type": ${'{'.repeat(150_000)}`)
  say(`Reply with JSON that matches the "type": ${'{"a":'.repeat(30_000)}`)
  expect(elapsedMs()).toBeLessThan(2_000)
})
