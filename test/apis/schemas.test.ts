import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { describeTransportsAnd } from '../support/transports.ts'
import { postResponse, type ResponseBody } from '../support/responses.ts'
import { ask, postChat, postNative, say, textOf, type NativeAnswer } from '../support/text.ts'
import { needs } from '../support/needs.ts'

const text = { type: 'string' }

/** What clients write into schemas, beyond what structured outputs document. */
const schema = {
  type: 'object',
  properties: {
    name: { ...text, nullable: true, 'x-order': 1 },
    kind: { enum: ['cat', 'dog'] },
    age: { type: 'integer', minimum: 0, exclusiveMinimum: 3 },
    tags: { type: 'array', items: text, minItems: 1, uniqueItems: true },
    photo: { ...text, contentEncoding: 'base64' },
    pair: { type: 'array', prefixItems: [text, { type: 'number' }], items: false },
  },
  required: ['name', 'kind', 'age'],
  unevaluatedProperties: { type: 'string' },
}
const isValid = new Ajv2020({ strict: false }).compile(schema)
const hint = 'In the response schema, "unevaluatedProperties" at the root is ignored.'

const format = (json_schema: object): object => ({ response_format: { type: 'json_schema', json_schema } })
const tool = (parameters: object, more: object = {}): object => ({
  tools: [{ type: 'function', function: { name: 'adopt', parameters, ...more } }],
  tool_choice: 'required',
})

interface Completion {
  choices: { message: { content: string; tool_calls: { function: { arguments: string } }[] } }[]
}

describeTransportsAnd(
  'express',
  'http-middleware',
)((open) => {
  it('takes every keyword of a schema, and names in the hint header what it ignores', async () => {
    await using transport = await open()
    for (const stream of [false, true]) {
      const response = await postChat(transport, {
        ...ask('A pet'),
        ...format({ name: 'pet', schema }),
        stream,
      })
      expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([200, hint])
      if (stream) await response.text()
      else {
        const { choices } = (await response.json()) as Completion
        const value: unknown = JSON.parse(choices[0]!.message.content)
        expect(isValid(value), JSON.stringify(value)).toBe(true)
      }
    }
  })

  it('takes them in the parameters of a tool', async () => {
    await using transport = await open()
    const response = await postChat(transport, { ...ask('Adopt a pet'), ...tool(schema) })
    expect(response.headers.get('x-greenroom-hint')).toBe(hint.replace('response schema', 'parameters of "adopt"')) // prettier-ignore
    const { choices } = (await response.json()) as Completion
    expect(isValid(JSON.parse(choices[0]!.message.tool_calls[0]!.function.arguments))).toBe(true)
  })

  it('takes them in a native request', async () => {
    await using transport = await open()
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema }
    for (const action of ['generateContent', 'streamGenerateContent']) {
      const response = await postNative(transport, action, { ...say('A pet'), generationConfig })
      expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([200, hint])
      if (action === 'generateContent')
        expect(isValid(JSON.parse(textOf((await response.json()) as NativeAnswer)))).toBe(true)
      else await response.text()
    }
  })

  it('refuses a strict schema in the words of structured outputs', async () => {
    await using transport = await open()
    const refusalOf = async (fields: object): Promise<unknown> => {
      const response = await postChat(transport, { ...ask('A pet'), ...fields })
      return [response.status, ((await response.json()) as { error: unknown }).error]
    }
    const loose = { type: 'object', properties: { name: text } }
    const why = "In context=(), 'additionalProperties' is required to be supplied and to be false."
    expect(await refusalOf(format({ name: 'pet', strict: true, schema: loose }))).toEqual([
      400,
      {
        message: `Invalid schema for response_format 'pet': ${why}`,
        type: 'invalid_request_error',
        param: 'response_format',
        code: null,
      },
    ])
    expect(await refusalOf(tool(loose, { strict: true }))).toEqual([
      400,
      {
        message: `Invalid schema for function 'adopt': ${why}`,
        type: 'invalid_request_error',
        param: 'tools[0].function.parameters',
        code: 'invalid_function_parameters',
      },
    ])
    const closed = { ...loose, required: ['name'], additionalProperties: false }
    const taken = await postChat(transport, { ...ask('A pet'), ...format({ name: 'pet', strict: true, schema: closed }) }) // prettier-ignore
    expect(taken.status).toBe(200)
  })

  it('treats schemas of the Responses API in the same way', async () => {
    needs('responses.create')
    await using transport = await open()
    const send = (name: string, more: object): Promise<Response> =>
      postResponse(transport, { input: 'A pet', text: { format: { type: 'json_schema', name, ...more } } })
    const response = await send('pet', { schema })
    expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([200, hint])
    const { output } = (await response.json()) as ResponseBody
    expect(isValid(JSON.parse(output[0]!.content![0]!.text))).toBe(true)
    const refused = await send('pet', { schema, strict: true })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: 'text.format.schema', code: 'invalid_json_schema', message: "Invalid schema for response_format 'pet': In context=(), 'unevaluatedProperties' is not permitted." } }, // prettier-ignore
    ])
  })

  it('answers a schema in a system message with JSON that fits it', async () => {
    await using transport = await open()
    const system = `Answer with JSON that matches this schema:\n${JSON.stringify(schema)}`
    const body = {
      ...ask('A pet'),
      messages: [{ role: 'system', content: system }, ...ask('A pet').messages],
    }
    const { choices } = (await (await postChat(transport, body)).json()) as Completion
    expect(isValid(JSON.parse(choices[0]!.message.content))).toBe(true)
    const native = { ...say('A pet'), systemInstruction: { parts: [{ text: `${system}\nUse a code block.` }] } } // prettier-ignore
    const answer = (await (await postNative(transport, 'generateContent', native)).json()) as NativeAnswer
    const [, fenced = ''] = /^```json\n([\s\S]*)\n```$/.exec(textOf(answer)) ?? []
    expect(isValid(JSON.parse(fenced))).toBe(true)
  })
})
