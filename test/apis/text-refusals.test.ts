import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { openSocket, type OpenTransport } from '../support/transports.ts'
import { ask, postChat, postJson, postNative, say } from '../support/text.ts'
import { startProcessorTimer } from '../support/processor-time.ts'

const open = (options: EmbeddedOptions = {}): Promise<OpenTransport> =>
  openSocket({ cacheDir: false, ...options })

type Refusal = [status: number, error: { message: string; type?: string; code?: unknown; status?: string }]

const refusalOf = async (response: Response): Promise<Refusal> => {
  const { error } = (await response.json()) as { error: Refusal[1] }
  return [response.status, error]
}

const user = { role: 'user', content: 'hi' }
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const many = (count: number): unknown[] => Array.from({ length: count }, () => user)
const turns = (count: number): unknown[] => Array.from({ length: count }, () => say('hi').contents[0])
const schema = (of: unknown): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', schema: of } },
})
const endless = {
  $ref: '#/$defs/node',
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
}

it.each([
  ['no messages', { messages: undefined }, 'field messages is required'],
  ['empty messages', { messages: [] }, 'field messages is required'],
  ['messages of another kind', { messages: 'hi' }, 'messages must be an array, not "hi"'],
  [
    'an unknown role',
    { messages: [{ role: 'robot', content: 'x' }] },
    'messages[0].role must be one of system',
  ],
  ['no role', { messages: [{ content: 'x' }] }, 'messages[0].role is required'],
  [
    'a message without a part',
    { messages: [{ role: 'user', content: [] }] },
    'messages[0].content must not be empty',
  ],
  [
    'a message that is neither text nor parts',
    { messages: [{ role: 'user', content: 5 }] },
    'messages[0].content must be a string or an array of parts, not 5',
  ],
  [
    'a part without its text',
    { messages: [{ role: 'user', content: [{ type: 'text', content: 'hi' }] }] },
    'messages[0].content[0].text is required',
  ],
  ['a stop that is none', { stop: 5 }, 'field stop must be a string or an array of strings, not 5'],
  [
    'an unknown part',
    { messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
    'content[0].type must be one of',
  ],
  ['stream of another kind', { stream: 'yes' }, 'field stream must be a boolean, not "yes"'],
  ['a thousand choices', { n: 1000 }, 'field n must be from 1 to 128, not 1000'],
  ['ten thousand messages', { messages: many(10_000) }, 'messages has 10000 items, at most 2000 are taken'],
  ['too many tokens', { max_tokens: 2 ** 31 }, 'max_tokens is invalid'],
  ['heat', { temperature: 3 }, 'field temperature must be from 0 to 2, not 3'],
  ['stream options without a stream', { stream_options: {} }, 'only allowed when stream is true'],
  ['top_logprobs alone', { top_logprobs: 3 }, 'only allowed when logprobs is true'],
  [
    'a result without a call',
    { messages: [user, { role: 'tool', tool_call_id: 'x', content: '1' }] },
    'which no message made',
  ],
  [
    'a call without a result',
    { messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, user] },
    'must be followed by tool messages',
  ],
  [
    'arguments that are no JSON',
    {
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: '{' } }] },
      ],
    },
    'function.arguments must be a JSON object',
  ],
  [
    'a choice of a function without a name',
    { tool_choice: { type: 'function', function: {} } },
    'tool_choice.function.name is required',
  ],
  [
    'a choice of allowed tools without them',
    { tool_choice: { type: 'allowed_tools' } },
    'tool_choice.allowed_tools is required',
  ],
  [
    'a choice of another kind',
    { tool_choice: { type: 'robot' } },
    'tool_choice must be "none", "auto", "required" or a function, not an object',
  ],
  [
    'a stop without a letter',
    { stop: ['a', ''] },
    'field stop[1] must be a string that is not empty, not ""',
  ],
  ['six stops', { stop: Array.from('abcdef') }, 'stop has 6 items, at most 5 are taken'],
  ['a message that is none', { messages: [user, null] }, 'messages[1] must be an object, not nothing'],
  [
    'an image without a URL',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    'content[0].image_url must be {"url": …}',
  ],
  [
    'a call without an id',
    { messages: [user, { role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }] },
    'messages[1].tool_calls[0] needs an id and a function',
  ],
  [
    'a result of a function without its name',
    { messages: [user, { role: 'function', content: '1' }] },
    'messages[1].name is required',
  ],
  [
    'a tool of another kind',
    { tools: [{ type: 'robot', function: { name: 'f' } }] },
    'tools[0] must be {"type": "function", "function": {…}}',
  ],
  [
    'parameters that are no schema',
    { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    'field tools[0].function.parameters must be a schema, not an array',
  ],
  ['a seed beyond all numbers', { seed: 1e300 }, 'field seed must be from -9223372036854776000 to'],
  ['a part of a choice', { n: 1.5 }, 'field n must be a whole number, not 1.5'],
  ['a format that is none', { response_format: 'json' }, 'response_format must be an object, not "json"'],
  [
    'an unknown format',
    { response_format: { type: 'xml' } },
    'must be one of text, json_object, json_schema',
  ],
  ['a choice without tools', { tool_choice: 'required' }, 'only allowed when tools are specified'],
  [
    'a tool without a name',
    { tools: [{ type: 'function', function: {} }] },
    "a function's name has 1 to 128",
  ],
  [
    'a picture that is none',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] },
      ],
    },
    'was refused',
  ],
  [
    'a file as an address',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      ],
    },
    'must be an http(s) URL',
  ],
  ['a format without a schema', { response_format: { type: 'json_schema' } }, 'response_format must be'],
  ['a schema against itself', schema({ type: 'integer', minimum: 5, maximum: 1 }), 'minimum'],
  ['a schema without end', schema(endless), '/$defs/node: it requires itself without end'],
])('refuses a chat with %s, quickly', async (_name, fields, message) => {
  await using transport = await open()
  await postChat(transport, ask('warm up'))
  const elapsedMs = startProcessorTimer()
  const [status, error] = await refusalOf(await postChat(transport, { ...ask('hi'), ...fields }))
  expect(status).toBe(400)
  expect(error.message).toContain(message)
  expect(elapsedMs()).toBeLessThan(1_000)
})

it.each([
  ['nothing', {}, 'contents is required'],
  ['no turns', { contents: [] }, 'contents is required'],
  ['no parts', { contents: [{ role: 'user', parts: [] }] }, 'contents[0].parts must not be empty'],
  [
    'an unknown role',
    { contents: [{ role: 'robot', parts: [{ text: 'x' }] }] },
    'contents[0].role must be one of',
  ],
  ['a part of nothing', { contents: [{ parts: [{}] }] }, 'must have exactly one of'],
  [
    'a part of two kinds',
    { contents: [{ parts: [{ text: 'x', fileData: {} }] }] },
    'it has text and fileData',
  ],
  ['a text that is none', { contents: [{ parts: [{ text: 5 }] }] }, 'parts[0].text must be a string, not 5'],
  ['a turn that is none', { contents: 'x' }, 'contents[0] must be an object, not "x"'],
  ['a part that is none', { contents: { parts: 'x' } }, 'contents[0].parts[0] must be an object, not "x"'],
  [
    'data without their type',
    { contents: { parts: { inline_data: { data: 'aGk=' } } } },
    'contents[0].parts[0].inlineData needs mimeType and data',
  ],
  [
    'a call without a name',
    { contents: [{ role: 'model', parts: [{ functionCall: { name: '' } }] }] },
    'contents[0].parts[0].functionCall.name must not be empty',
  ],
  [
    'an unknown modality',
    { ...say('x'), generationConfig: { responseModalities: ['text', 'smell'] } },
    'generationConfig.responseModalities[1] must be one of TEXT, IMAGE, AUDIO, not "smell"',
  ],
  [
    'too many tokens',
    { ...say('x'), generation_config: { max_output_tokens: 2 ** 31 } },
    'maxOutputTokens is invalid',
  ],
  [
    'functions that are no list',
    { ...say('x'), tools: { functionDeclarations: { name: 'f' } } },
    'tools[0].functionDeclarations must be an array',
  ],
  [
    'a function with two schemas',
    {
      ...say('x'),
      tools: { functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] },
    },
    'only one of tools[0].functionDeclarations[0].parameters and parametersJsonSchema may be set',
  ],
  ['ten thousand turns', { contents: turns(10_000) }, 'contents has 10000 items'],
  [
    'a result of a function without a call',
    { contents: [{ role: 'function', parts: [{ functionResponse: { name: 'f', response: {} } }] }] },
    'which no content made',
  ],
  [
    'nine candidates',
    { ...say('x'), generationConfig: { candidateCount: 9 } },
    'candidateCount must be from 1 to 8',
  ],
  [
    'too many tokens',
    { ...say('x'), generationConfig: { maxOutputTokens: 2 ** 31 } },
    'maxOutputTokens is invalid',
  ],
  [
    'a schema for plain text',
    { ...say('x'), generationConfig: { responseSchema: { type: 'STRING' } } },
    'needs responseMimeType',
  ],
  [
    'two schemas',
    {
      ...say('x'),
      generationConfig: { responseMimeType: 'application/json', responseSchema: {}, responseJsonSchema: {} },
    },
    'only one of',
  ],
  [
    'a schema against itself',
    {
      ...say('x'),
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: { type: 'STRING', enum: [] },
      },
    },
    'enum',
  ],
  [
    "a function's name that can't be",
    { ...say('x'), tools: [{ functionDeclarations: [{ name: '7 up' }] }] },
    'functionDeclarations[0].name is "7 up"',
  ],
  [
    'a picture that is none',
    { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] }] },
    'inlineData.data was refused',
  ],
])('refuses a native request of %s, quickly', async (_name, body, message) => {
  await using transport = await open()
  await postNative(transport, 'generateContent', say('warm up'))
  const elapsedMs = startProcessorTimer()
  const [status, error] = await refusalOf(await postNative(transport, 'generateContent', body))
  expect([status, error.code, error.status]).toEqual([400, 400, 'INVALID_ARGUMENT'])
  expect(error.message).toContain(message)
  expect(elapsedMs()).toBeLessThan(1_000)
})

it('refuses a native request without a key, and an unknown model, so that clients of both can read it', async () => {
  await using transport = await open({ models: [{ name: 'good-1' }] })
  const headers = { authorization: '' }
  const refused = await postNative(transport, 'generateContent', say('hi'), { headers })
  expect(await refusalOf(refused)).toMatchObject([
    401,
    { code: 401, status: 'UNAUTHENTICATED', type: 'new_api_error', param: '' },
  ])
  const unknown = await postJson(transport, '/v1beta/models/unknown:generateContent', say('hi'))
  expect(await refusalOf(unknown)).toMatchObject([503, { code: 503, status: 'UNAVAILABLE' }])
})

it('refuses malformed JSON and bodies that are too large', async () => {
  await using transport = await open({ limits: { bodyMegabytes: 0.01 } })
  expect(await refusalOf(await postNative(transport, 'generateContent', '{'))).toMatchObject([
    400,
    { status: 'INVALID_ARGUMENT' },
  ])
  expect(await refusalOf(await postChat(transport, ask('x'.repeat(20_000))))).toMatchObject([
    400,
    { type: 'new_api_error' },
  ])
  expect(
    await refusalOf(await postNative(transport, 'generateContent', say('x'.repeat(20_000)))),
  ).toMatchObject([413, { status: 'INVALID_ARGUMENT' }])
})
