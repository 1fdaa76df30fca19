import { describe, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway, type Scenario } from '../../../src/index.ts'
import { needs } from '../../support/needs.ts'

/** A piece of a call, as the deltas of a chat have it. */
interface Piece {
  readonly index?: number
  readonly id?: string
  readonly function: { readonly name?: string; readonly arguments?: string }
}

interface ToolCall {
  readonly id: string | undefined
  readonly index: number | undefined
  name: string
  args: string
}

/** How a client puts the pieces of calls together. */
type Assemble = (calls: ToolCall[], piece: Piece) => void

const start = (
  calls: ToolCall[],
  { id, index, function: { name = '', arguments: args = '' } }: Piece,
): void => void calls.push({ id, index, name, args })

/** Adds to the call with the id, else to the last one with the index, else to the last one. */
const careful: Assemble = (calls, piece) => {
  const { id, index, function: made } = piece
  if (made.name !== undefined && !calls.some((call) => id !== undefined && call.id === id))
    return start(calls, piece)
  const call = calls.findLast((each) => (id === undefined ? each.index === index : each.id === id))
  ;(call ?? calls.at(-1)!).args += made.arguments ?? ''
}

/** As most programs do it: a list by the index. */
const byIndex: Assemble = (calls, { id, index, function: { name = '', arguments: args = '' } }) => {
  const call = (calls[index as number] ??= { id, index, name: '', args: '' })
  call.name += name
  call.args += args
}

/** Takes every piece without a name for one of the last call. */
const ofLastCall: Assemble = (calls, piece) => {
  if (piece.function.name === undefined) calls.at(-1)!.args += piece.function.arguments ?? ''
  else start(calls, piece)
}

/** Begins each call without arguments, since they come in the next piece. */
const inNextPiece: Assemble = (calls, piece) => {
  const { name, arguments: args = '' } = piece.function
  if (name === undefined) calls.at(-1)!.args += args
  else start(calls, { ...piece, function: { name } })
}

const needsId: Assemble = (calls, piece) => {
  if (piece.function.name !== undefined && piece.id === undefined) throw new Error('a call without an id')
  careful(calls, piece)
}

const tool = (name: string, field: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { [field]: { type: 'string' } } } },
})

const scenario: Scenario = {
  version: 1,
  rules: [
    {
      id: 'two calls',
      match: { op: 'chat.complete' },
      answer: {
        calls: [
          { name: 'weather', args: { city: 'Oslo' } },
          { name: 'news', args: { topic: 'kites' } },
        ],
      },
    },
  ],
}

/** Explores a client of a streamed chat with one kind of gateway. */
async function exploreCalls(only: string, assemble: Assemble) {
  const client = async ({ fetch, baseUrl, key }: ExploredGateway): Promise<string> => {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim-text-1',
        stream: true,
        messages: [{ role: 'user', content: 'What is new in Oslo?' }],
        tools: [tool('weather', 'city'), tool('news', 'topic')],
      }),
    })
    const calls: ToolCall[] = []
    for (const event of (await response.text()).split('\n\n')) {
      if (!event.startsWith('data: {')) continue
      const { choices } = JSON.parse(event.slice(6)) as { choices: { delta: { tool_calls?: Piece[] } }[] }
      for (const piece of choices[0]?.delta.tool_calls ?? []) assemble(calls, piece)
    }
    return JSON.stringify(calls.map(({ name, args }) => [name, JSON.parse(args) as unknown]))
  }
  return explore(client, { only: [only], scenario }).catch((error: unknown) => {
    if (error instanceof ExploreError) return error
    throw error
  })
}

const dialects = [
  'interleaved calls',
  'calls at once',
  'calls of index 0',
  'calls without index',
  'calls without id',
]

describe('a careful client of calls', () => {
  it.each(dialects)('reads %s', async (title) => {
    const { findings } = await exploreCalls(`${title} of chats`, careful)
    expect(findings).toEqual([])
  })
})

describe('a hasty client of calls', () => {
  it.each([
    ['interleaved calls', ofLastCall],
    ['calls at once', inNextPiece],
  ])('is found by %s', async (title, assemble) => {
    const { findings } = await exploreCalls(`${title} of chats`, assemble)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ habit: 'fails-on-variant' })
  })

  // The vendor's own SDK fails with these gateways, too.
  it.each([
    ['calls of index 0', byIndex],
    ['calls without index', byIndex],
    ['calls without id', needsId],
  ])('only gets advice on %s', async (title, assemble) => {
    const { findings } = await exploreCalls(`${title} of chats`, assemble)
    expect(findings).toEqual([])
  })
})

describe('a client of images', () => {
  needs('images.generate')
  const draw =
    (read: (image: { url?: string; b64_json?: string }) => string | undefined) =>
    async ({ fetch, baseUrl, key }: ExploredGateway): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'image-1', prompt: 'a kite', size: '256x256' })
      const response = await fetch(`${baseUrl}/v1/images/generations`, { method: 'POST', headers, body })
      const { data } = (await response.json()) as { data: [{ url?: string; b64_json?: string }] }
      const address = read(data[0])
      if (address === undefined) throw new Error('there is no URL')
      return 'an image'
    }
  const only = ['base64 images']

  it('that reads URLs and base64 is accused of nothing', async () => {
    const client = draw(({ url, b64_json: data }) => url ?? `data:image/png;base64,${data}`)
    expect((await explore(client, { only })).findings).toEqual([])
  })

  it('that reads URLs alone is found', async () => {
    const found = await explore(
      draw(({ url }) => url),
      { only },
    ).catch((error: unknown) => error)
    expect((found as ExploreError).findings).toMatchObject([{ habit: 'fails-on-variant' }])
  })
})
