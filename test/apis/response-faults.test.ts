import { expect, it } from 'vitest'
import { createSimulator, type Fault } from '../../src/index.ts'
import { faultTypes } from '../../src/scenario/faults/index.ts'
import { outcomeOf } from '../support/faults.ts'
import { needs } from '../support/needs.ts'
import { postMessage } from '../support/messages.ts'
import { postResponse, responseEvents } from '../support/responses.ts'
import { ask, postChat, postJson } from '../support/text.ts'

const details: Readonly<Record<string, object>> = {
  drip: { bytesPerSecond: 1_000 },
  'slow-start': { for: '5s' },
}

/** Those that end without the client's own timeout, and that concern requests without a task. */
const types = faultTypes.filter((type) => type !== 'hang' && type !== 'stale')

const prompt = '[[say: one twö three]]'

it.each(types)(
  'does with fault %s to a streamed response or message what it does to a streamed chat',
  async (type) => {
    needs('chat.complete', 'responses.create', 'embeddings.create', 'messages.create')
    const fault = { type, ...details[type] } as Fault
    await using sim = createSimulator({
      rules: [{ id: 'broken', match: { op: '*' }, fault }],
      cacheDir: false,
    })
    const transport = { call: sim.fetch }
    const chat = await outcomeOf(() => postChat(transport, { ...ask(prompt), stream: true }))
    const response = await outcomeOf(() => postResponse(transport, { input: prompt, stream: true }))
    const message = await outcomeOf(() => postMessage(transport, { ...ask(prompt), stream: true }))
    const embedding = await outcomeOf(() =>
      postJson(transport, '/v1/embeddings', { model: 'sim-embedding-1', input: 'a kite', dimensions: 8 }),
    )
    expect([response.where, response.code]).toEqual([chat.where, chat.code])
    expect([message.where, message.code]).toEqual([chat.where, chat.code])
    // A redirect is followed until the client gives up.
    const entries = ['chat.complete', 'responses.create', 'embeddings.create', 'messages.create'].map(
      (operation) => sim.journal({ operation })[0]!,
    )
    expect(entries.filter(({ outcome }) => outcome === 'open')).toEqual([])
    // An embedding is no stream, so faults of streams leave it intact.
    const isOfStreams = type === 'duplicate-events' || type === 'split-character'
    expect(entries.map(({ fault: name }) => name)).toEqual([type, type, isOfStreams ? null : type, type])
    expect(entries[1]!.stream?.ended).toBe(entries[0]!.stream?.ended)
    expect(entries[3]!.stream?.ended).toBe(entries[0]!.stream?.ended)
    if (type !== 'redirect-loop' && entries[2]!.outcome === 'completed')
      expect(embedding.where).toBe('nowhere')
  },
)

it('sends every event of a response twice by a fault, with its name and its number', async () => {
  needs('responses.create')
  const fault = { type: 'duplicate-events' } as Fault
  await using sim = createSimulator({ rules: [{ match: { op: 'responses.*' }, fault }], cacheDir: false })
  const response = await postResponse({ call: sim.fetch }, { input: prompt, stream: true })
  const numbers = responseEvents(await response.text()).map(({ sequence_number }) => sequence_number)
  expect(numbers).toEqual([...new Set(numbers)].flatMap((number) => [number, number]))
})

it('breaks the data of one event by a fault, which still ends as an event does', async () => {
  needs('responses.create')
  const fault = { type: 'invalid-json' } as Fault
  await using sim = createSimulator({ rules: [{ match: { op: 'responses.*' }, fault }], cacheDir: false })
  const response = await postResponse({ call: sim.fetch }, { input: prompt, stream: true })
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '')
  const broken = blocks.filter((block) => {
    const [, data] = /^event: response\.\S+\ndata: (.+)$/.exec(block)!
    try {
      return JSON.parse(data!) === undefined
    } catch {
      return true
    }
  })
  expect(broken).toHaveLength(1)
})
