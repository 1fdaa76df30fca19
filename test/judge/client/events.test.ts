import { expect, it } from 'vitest'
import { drive, type TaskOutcome } from '../../../src/judge/client/drive.ts'

/** What the reference client makes of a stream. */
async function readStream(text: string): Promise<TaskOutcome> {
  let now = 0
  const context = {
    fetch: async () => new Response(text),
    url: 'http://gateway.example',
    key: 'sk-test',
    now: () => now,
    sleep: async (durationMs: number) => (now += durationMs),
  }
  const [outcome] = await drive({ flow: 'chat-stream' }, context)
  return outcome!
}

const chunk = (content: string, reason: string | null): string =>
  JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })

it('reads events with comments, names and any line ends', async () => {
  const text = [
    ': hold on\n\n',
    `event: chunk\r\ndata: ${chunk('a ', null)}\r\n\r\n`,
    `data:${chunk('kite', 'stop')}\n\n`,
  ]
  expect(await readStream(`${text.join('')}data: [DONE]\n\n`)).toMatchObject({
    ended: 'succeeded',
    text: 'a kite',
  })
})

it('takes a stream that ends inside an event, or an event without an end, for a broken response', async () => {
  expect(await readStream(`data: ${chunk('a kite', 'stop')}\n\ndata: [DO`)).toMatchObject({
    ended: 'broken',
    reason: expect.stringContaining('the stream ended inside an event') as string,
  })
  expect(await readStream(`data: ${'x'.repeat(1_100_000)}`)).toMatchObject({
    ended: 'broken',
    reason: expect.stringContaining('an event of the stream does not end') as string,
  })
})
