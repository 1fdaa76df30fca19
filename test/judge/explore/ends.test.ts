import { describe, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'
import { servedRows } from '../../support/needs.ts'

type Json = Record<string, any>

const prompt = 'Why do kites fly?'
const messages = [{ role: 'user', content: prompt }]

interface Read {
  readonly text: string | undefined
  readonly isComplete: boolean
}

/** How to ask each API, how a careful client reads it, and how one that takes every answer for a whole one. */
const apis: Record<
  string,
  { path: string; body: Json; careful: (body: Json) => Read; hasty: (body: Json) => string }
> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'sim-text-1', messages },
    careful: ({ choices }) => ({
      text: choices?.[0]?.message?.content ?? undefined,
      isComplete: choices?.[0]?.finish_reason === 'stop',
    }),
    hasty: ({ choices }) => choices[0].message.content.trim(),
  },
  native: {
    path: '/v1beta/models/sim-text-1:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: prompt }] }] },
    careful: ({ candidates }) => ({
      text: candidates?.[0]?.content?.parts?.[0]?.text,
      isComplete: candidates?.[0]?.finishReason === 'STOP',
    }),
    hasty: ({ candidates }) =>
      (candidates?.[0]?.content?.parts ?? []).map((each: Json) => each['text']).join(''),
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'sim-text-1', max_tokens: 500, messages },
    careful: ({ content, stop_reason: reason }) => ({
      text: content?.[0]?.text,
      isComplete: reason === 'end_turn',
    }),
    hasty: ({ content }) => (content as Json[]).map((each) => each['text']).join(''),
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'sim-text-1', input: prompt },
    careful: ({ output, status }) => ({
      text: output?.[0]?.content?.[0]?.text,
      isComplete: status === 'completed',
    }),
    hasty: ({ output }) => output[0].content[0].text.trim(),
  },
}

async function findIn(name: string, isCareful: boolean, only: string) {
  const { path, body, careful, hasty } = apis[name]!
  const client = async ({ fetch, baseUrl, key }: ExploredGateway): Promise<string> => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const answer = (await response.json()) as Json
    if (!isCareful) return hasty(answer)
    const { text, isComplete } = careful(answer)
    if (!isComplete || text === undefined) throw new Error('the answer is not complete')
    return text
  }
  const found = await explore(client, { only: [only] }).catch((error: unknown) => {
    if (error instanceof ExploreError) return error
    throw error
  })
  return found.findings
}

const isServed = ([name]: readonly [string, ...string[]]): boolean =>
  servedRows([apis[name]!.path]).length > 0

describe('a careful client is accused of nothing', () => {
  it.each(
    (
      [
        ['chat', 'filtered', 'filtered part', 'empty text', 'no candidate', 'refusal'],
        ['native', 'blocked prompt', 'filtered', 'filtered part', 'empty text', 'no candidate'],
        ['messages', 'blocked prompt', 'filtered', 'filtered part', 'empty text'],
        ['responses', 'filtered', 'filtered part', 'empty text', 'no candidate', 'refusal'],
      ] as [string, ...string[]][]
    ).filter(isServed),
  )('of %s', async (name, ...ends) => {
    for (const end of ends) expect([end, await findIn(name, true, end)]).toEqual([end, []])
  })
})

describe('a hasty client is found', () => {
  it.each(
    (
      [
        ['chat', 'filtered', 'ignores-early-end'],
        ['chat', 'filtered part', 'ignores-early-end'],
        ['chat', 'no candidate', 'crashes'],
        ['chat', 'refusal', 'crashes'],
        ['native', 'blocked prompt', 'ignores-early-end'],
        ['native', 'filtered', 'ignores-early-end'],
        ['native', 'filtered part', 'ignores-early-end'],
        ['messages', 'blocked prompt', 'ignores-early-end'],
        ['messages', 'filtered', 'ignores-early-end'],
        ['messages', 'filtered part', 'ignores-early-end'],
        ['responses', 'filtered part', 'ignores-early-end'],
        ['responses', 'no candidate', 'crashes'],
        ['responses', 'refusal', 'crashes'],
      ] as [string, string, string][]
    ).filter(isServed),
  )('of %s, by %s', async (name, end, habit) => {
    expect(await findIn(name, false, end)).toMatchObject([{ habit }])
  })
})
