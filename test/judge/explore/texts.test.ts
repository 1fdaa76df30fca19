import { expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'

interface Habits {
  /** Whether it requests a text again that the limit of tokens ended. */
  readonly repeats?: boolean
  readonly separator?: RegExp
}

interface Event {
  choices: { delta: { content?: string }; finish_reason: string | null }[]
}

/** Streams a chat, and reads its events. */
async function streamChat(gateway: ExploredGateway, habits: Habits, maxTokens = 500): Promise<string> {
  const response = await gateway.fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-text-1',
      stream: true,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: 'Why do kites fly?' }],
    }),
  })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const { separator = /\r?\n\r?\n/ } = habits
  let text = ''
  let finish: string | null = null
  for (const event of (await response.text()).split(separator)) {
    if (!event.startsWith('data: {')) continue
    const [choice] = (JSON.parse(event.slice(6)) as Event).choices
    text += choice?.delta.content ?? ''
    finish ??= choice?.finish_reason ?? null
  }
  if (finish === 'stop') return text
  if (finish !== 'length') throw new Error(`the stream ended with ${finish}`)
  return habits.repeats ? streamChat(gateway, habits, maxTokens * 2) : text
}

const exploreChat = (only: string, habits: Habits = {}): Promise<readonly unknown[]> =>
  explore((gateway) => streamChat(gateway, habits), { only: [only] }).then(
    ({ findings }) => findings,
    (error: unknown) => {
      expect(error).toBeInstanceOf(ExploreError)
      return (error as ExploreError).findings
    },
  )

it('accuses no client that requests a text again when the limit of tokens ended it', async () => {
  expect(await exploreChat('max tokens', { repeats: true })).toEqual([])
  expect(await exploreChat('max tokens')).toMatchObject([{ severity: 'wrong result' }])
})

it('finds a client of chats that knows one line ending only', async () => {
  expect(await exploreChat('CRLF events of chats')).toEqual([])
  expect(await exploreChat('CRLF events of chats', { separator: /\n\n/ })).toMatchObject([
    { habit: 'fails-on-variant' },
  ])
})
