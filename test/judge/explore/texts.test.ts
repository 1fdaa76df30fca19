import { expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'
import { makeVideo } from './planted/video.ts'
import { needs } from '../../support/needs.ts'

interface Habits {
  /** Whether it requests a text again that the limit of tokens ended. */
  readonly repeats?: boolean
  readonly separator?: RegExp
  /** The encoding by which it reads the events. */
  readonly encoding?: 'latin1'
  /** Whether it returns a text whose stream was cut. */
  readonly takesParts?: boolean
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
  const { separator = /\r?\n\r?\n/, encoding = 'utf8' } = habits
  let text = ''
  let finish: string | null = null
  const bytes = Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer(0)))
  for (const event of bytes.toString(encoding).split(separator)) {
    if (!event.startsWith('data: {')) continue
    const [choice] = (JSON.parse(event.slice(6)) as Event).choices
    text += choice?.delta.content ?? ''
    finish ??= choice?.finish_reason ?? null
  }
  if (finish === 'stop' || habits.takesParts) return text
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

it('advises a client that waits forever for a text to repeat the request', async () => {
  expect(await exploreChat('hang')).toMatchObject([
    {
      habit: 'no-deadline',
      advice: 'Give each request a deadline, such as a minute. Then repeat chat.complete a few times.',
    },
  ])
})

it('finds a client of chats that knows one line ending only', async () => {
  needs('chat.complete')
  expect(await exploreChat('CRLF events of chats')).toEqual([])
  expect(await exploreChat('CRLF events of chats', { separator: /\n\n/ })).toMatchObject([
    { habit: 'fails-on-variant', advice: expect.stringContaining('parser of server-sent events') as unknown },
  ])
})

it('finds a client that reads the bytes of a text as Latin-1', async () => {
  expect(await exploreChat('401', { encoding: 'latin1' })).toMatchObject([
    { key: 'wrong result | misreads-text', schedule: { name: 'baseline' } },
  ])
})

it('expects the text in the scenario of a finding, though the client also made a video', async () => {
  const client = async (gateway: ExploredGateway): Promise<string> => {
    await makeVideo('a red kite', gateway)
    return streamChat(gateway, { takesParts: true })
  }
  const error = await explore(client, { only: ['truncate'] }).catch((thrown: unknown) => thrown)
  const { message, findings } = error as ExploreError
  expect(findings[0]!.key).toBe('wrong result | other-result | chat.complete')
  expect(message).toMatch(/^expect:\n {2}command:\n {4}stdout:\n {6}matches: .*schön/m)
})

it.each(['cut stream', 'reset stream'])(
  'finds a client that takes a part of the text for all after a %s, but none that throws',
  async (fault) => {
    expect(await exploreChat(fault)).toEqual([])
    expect(await exploreChat(fault, { takesParts: true })).toMatchObject([
      {
        key: 'wrong result | other-result | chat.complete',
        trace: '+0s       #1 chat.complete 200 (injected)',
        consequences: [{ severity: 'misbehaved', habit: 'reads-stream-to-end' }],
      },
    ])
  },
)
