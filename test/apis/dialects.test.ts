import { createParser } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import { createSimulator, type Quirks, type Rule } from '../../src/index.ts'
import { eventDialects } from '../../src/apis/text/events/lists.ts'
import { needs, servedRows } from '../support/needs.ts'

type Json = Record<string, any>

const prompt = 'Why do kites fly?'
const messages = [{ role: 'user', content: prompt }]

/** How each API streams a text, and what its events add to it. */
const apis = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'sim-text-1', stream: true, messages },
    read: ({ choices }: Json): string => choices?.[0]?.delta?.content ?? '',
  },
  'native-text': {
    path: '/v1beta/models/sim-text-1:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: prompt }] }] },
    read: ({ candidates }: Json): string => candidates?.[0]?.content?.parts?.[0]?.text ?? '',
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'sim-text-1', max_tokens: 500, stream: true, messages },
    read: ({ delta }: Json): string => delta?.text ?? '',
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'sim-text-1', stream: true, input: prompt },
    read: ({ type, delta }: Json): string => (type === 'response.output_text.delta' ? delta : ''),
  },
}
type Api = keyof typeof apis

/** The bytes of a stream from a gateway with quirks. @param stream the effect of a rule. */
async function stream(api: Api, quirks: Partial<Quirks>, stream?: Rule['stream']): Promise<string> {
  await using sim = createSimulator({ seed: 1, quirks, text: { timing: 'instant' } })
  if (stream) sim.addRule({ id: 'stream', match: { role: ['text', 'stream'] }, stream })
  const response = await sim.fetch(`https://gateway.example${apis[api].path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(apis[api].body),
  })
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of response.body!) text += decoder.decode(bytes, { stream: true })
  } catch (error) {
    if (!stream?.cut) throw error
  }
  return text
}

/** Reads a text by the standard of server-sent events. */
function readCarefully(api: Api, bytes: string): string {
  let text = ''
  const parser = createParser({
    onEvent: ({ data }) => void (text += data === '[DONE]' ? '' : apis[api].read(JSON.parse(data) as Json)),
  })
  parser.feed(bytes)
  return text
}

/** Reads a text as hasty clients do; undefined if they crash. */
function readHastily(api: Api, bytes: string): string | undefined {
  try {
    const events = bytes.split('\n\n').filter((event) => event !== '' && !event.includes('[DONE]'))
    return (
      events
        .map((event) => apis[api].read(JSON.parse(event.replace(/^(event: .*\n)?data: /, '')) as Json))
        .join('') || undefined
    )
  } catch {
    return undefined
  }
}

const names = Object.keys(apis) as Api[]
const quirks: [string, Partial<Quirks>][] = [
  ['crlf', { sseNewline: 'crlf' }],
  ['cr', { sseNewline: 'cr' }],
  ...eventDialects.map(({ name }): [string, Partial<Quirks>] => [name, { sseLines: name }]),
]

describe.each(names.filter((name) => servedRows([apis[name].path]).length > 0))('events of %s', (api) => {
  // Parsers of the standard drop the last event of these, which has no text but in native texts.
  const isWhole = ([name]: [string, unknown]): boolean =>
    api !== 'native-text' || !['cr', 'open-end'].includes(name)

  it.each(quirks.filter(isWhole))(
    'mean the same to a parser of the standard, as %s',
    async (_name, quirk) => {
      const plain = await stream(api, {})
      const text = readCarefully(api, plain)
      expect(text.length).toBeGreaterThan(20)
      expect(readHastily(api, plain)).toBe(text)
      expect(readCarefully(api, await stream(api, quirk))).toBe(text)
    },
  )

  it.each(quirks.filter(([name]) => name !== 'open-end'))(
    'break a hasty client, as %s',
    async (_name, quirk) => {
      expect(readHastily(api, await stream(api, quirk))).toBeUndefined()
    },
  )

  it('keep their dialect when they come slowly, and when they are cut', async () => {
    const plain = readCarefully(api, await stream(api, {}, { chunk: 'word', cut: 3 }))
    const cut = await stream(
      api,
      { sseLines: 'comments', sseNewline: 'crlf' },
      { chunk: 'word', gap: '1s', cut: 3 },
    )
    expect(cut).toMatch(/^: still working\r\n\r\n/)
    expect(readCarefully(api, cut)).toBe(plain)
  })
})

it('writes each dialect as other gateways do', async () => {
  needs('chat.complete', 'messages.create')
  expect(await stream('chat', { sseLines: 'comments' })).toMatch(/^: still working\n\ndata: \{/)
  expect(await stream('chat', { sseLines: 'no-space' })).toMatch(/^data:\{.*data:\[DONE\]\n\n$/s)
  expect(await stream('chat', { sseLines: 'fields' })).toMatch(
    /^id: 1\nretry: 3000\nevent: message\ndata: \{/,
  )
  expect(await stream('messages', { sseLines: 'fields' })).toMatch(
    /^id: 1\nretry: 3000\nevent: message_start\n/,
  )
  expect(await stream('chat', { sseLines: 'split-data' })).toMatch(/^data: \{\ndata: "id".*\ndata: \}\n\n/)
  expect(await stream('chat', { sseLines: 'open-end' })).toMatch(/\ndata: \[DONE\]\n$/)
  expect(await stream('chat', { sseNewline: 'cr' })).toMatch(/^data: [^\n]*\r\rdata: \[DONE\]\r\r$/)
})

const tool = (name: string, field: string): Json => ({
  type: 'function',
  function: {
    name,
    description: `The ${name} of a ${field}`,
    parameters: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  },
})

/** The pieces of the calls in a chat. */
async function callPieces(toolCallDeltas: Quirks['toolCallDeltas']): Promise<Json[]> {
  const calls = [
    { name: 'weather', args: { city: 'Oslo' } },
    { name: 'news', args: { topic: 'kites' } },
  ]
  await using sim = createSimulator({ seed: 1, quirks: { toolCallDeltas }, text: { timing: 'instant' } })
  sim.addRule({ id: 'calls', match: { op: 'chat.complete' }, answer: { calls } })
  const response = await sim.fetch('https://gateway.example/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...apis.chat.body, tools: [tool('weather', 'city'), tool('news', 'topic')] }),
  })
  const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'))
  return events.flatMap((event) => {
    const { choices } = JSON.parse(event.slice('data: '.length)) as Json
    return (choices[0]?.delta.tool_calls ?? []) as Json[]
  })
}

const argumentsOf = (pieces: Json[], index: number): string =>
  pieces
    .filter((piece) => piece['index'] === index)
    .map((piece) => piece['function'].arguments as string)
    .join('')

describe('calls in a chat', () => {
  it('come one after the other, in pieces', async () => {
    const pieces = await callPieces('standard')
    expect(argumentsOf(pieces, 1)).toBe('{"topic":"kites"}')
    expect(pieces.map(({ index }) => index)).toEqual(pieces.map(({ index }) => index).toSorted())
    expect(pieces.filter(({ id }) => id)).toHaveLength(2)
  })

  it('come in turns', async () => {
    const pieces = await callPieces('interleaved')
    expect(pieces.slice(0, 6).map(({ index }) => index)).toEqual([0, 0, 1, 1, 0, 1])
    expect([argumentsOf(pieces, 0), argumentsOf(pieces, 1)]).toEqual(['{"city":"Oslo"}', '{"topic":"kites"}'])
  })

  it('come at once', async () => {
    expect(await callPieces('at-once')).toMatchObject([
      { index: 0, id: expect.any(String), function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { index: 1, id: expect.any(String), function: { name: 'news', arguments: '{"topic":"kites"}' } },
    ])
  })

  it('have the index 0, none, or no id', async () => {
    expect(new Set((await callPieces('index-0')).map(({ index }) => index))).toEqual(new Set([0]))
    expect((await callPieces('no-index')).some((piece) => 'index' in piece)).toBe(false)
    expect((await callPieces('no-id')).some((piece) => 'id' in piece)).toBe(false)
  })
})
