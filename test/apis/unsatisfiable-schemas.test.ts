import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const string = { type: 'string' }

/** Schemas that read well and that no value fits, with the reason. */
const unsatisfiable: readonly (readonly [what: string, schema: object, reason: RegExp])[] = [
  ['oneOf of two equal branches', { oneOf: [string, string] }, /fits one of its alternatives fits another/],
  ['allOf of a string and a number', { allOf: [string, { type: 'number' }] }, /no type fits/],
  ['unique items of too few values', { type: 'array', items: { type: 'boolean' }, minItems: 3, uniqueItems: true }, /items must differ/], // prettier-ignore
  ['two patterns that exclude each other', { allOf: [{ ...string, pattern: '^a+$' }, { ...string, pattern: '^b+$' }] }, /no text fits/], // prettier-ignore
  [
    'bounds that exclude each other',
    { allOf: [{ type: 'integer', minimum: 5 }, { maximum: 3 }] },
    /no number fits/,
  ],
  [
    'a value outside its type',
    { allOf: [{ enum: ['a', 'b'] }, { type: 'integer' }] },
    /none of the values fits/,
  ],
  ['too few names', { type: 'object', minProperties: 3, propertyNames: { enum: ['a', 'b'] } }, /fewer than 3 properties/], // prettier-ignore
]

const headers = {
  authorization: 'Bearer sk-test',
  'x-goog-api-key': 'sk-test',
  'content-type': 'application/json',
}
const question = { model: 'sim-text-1', messages: [{ role: 'user', content: 'Weather in Oslo?' }] }
const nativeQuestion = { contents: [{ parts: [{ text: 'Weather in Oslo?' }] }] }
const native = '/v1beta/models/sim-text-1'

/** Each way in which a schema can be sent, with the body that carries it. */
const ways: readonly (readonly [way: string, path: string, bodyOf: (schema: object) => object])[] = [
  ['a chat', '/v1/chat/completions', (schema) => ({ ...question, response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })], // prettier-ignore
  ['a streamed chat', '/v1/chat/completions', (schema) => ({ ...question, stream: true, response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })], // prettier-ignore
  ['a tool of a chat', '/v1/chat/completions', (parameters) => ({ ...question, tool_choice: 'required', tools: [{ type: 'function', function: { name: 'weather', parameters } }] })], // prettier-ignore
  ['a native request', `${native}:generateContent`, (responseJsonSchema) => ({ ...nativeQuestion, generationConfig: { responseMimeType: 'application/json', responseJsonSchema } })], // prettier-ignore
  ['a native stream', `${native}:streamGenerateContent?alt=sse`, (responseJsonSchema) => ({ ...nativeQuestion, generationConfig: { responseMimeType: 'application/json', responseJsonSchema } })], // prettier-ignore
  ['a native function', `${native}:generateContent`, (parametersJsonSchema) => ({ ...nativeQuestion, tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema }] }], toolConfig: { functionCallingConfig: { mode: 'ANY' } } })], // prettier-ignore
]

describe.each(unsatisfiable)('refuses %s with 400 and the reason', (_, schema, reason) => {
  it.each(ways)('in %s', async (_way, path, bodyOf) => {
    const mistakes: string[] = []
    await using sim = createSimulator({
      cacheDir: false,
      keys: [{ key: 'sk-test', balance: 1 }],
      prices: [{ models: '*', input: 10, output: 10 }],
      onWarning: (message) => void mistakes.push(message),
    })
    const init = { method: 'POST', headers, body: JSON.stringify(bodyOf(schema)) }
    const response = await sim.fetch(`https://gateway.example${path}`, init)
    const { error } = (await response.json()) as { error: { message: string; status?: string; type: string } }
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      expect.stringContaining('application/json'),
    ])
    expect(error.message).toMatch(/^The schema .*is refused at /)
    expect(error.message).toMatch(reason)
    if (path.startsWith(native)) expect(error.status).toBe('INVALID_ARGUMENT')
    else expect(error.type).toBe('invalid_request_error')
    expect(sim.usage()).toEqual([])
    expect(mistakes).toEqual([])
  })
})
