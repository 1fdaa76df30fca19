import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import {
  ask,
  eventsOf,
  postChat,
  postJson,
  postNative,
  say,
  textOf,
  type NativeAnswer,
} from '../support/text.ts'
import { needs } from '../support/needs.ts'

interface Chat {
  choices: {
    message: { content: string | null; tool_calls?: { function: object }[] }
    finish_reason: string
  }[]
}

describeTransports((open) => {
  const chat = async (
    transport: Awaited<ReturnType<typeof open>>,
    fields = {},
  ): Promise<Chat['choices'][0]> => {
    const response = await postChat(transport, { ...ask('How is the weather?'), ...fields })
    return ((await response.json()) as Chat).choices[0]!
  }

  it('scripts the answers of the next requests, one each, in order', async () => {
    await using transport = await open()
    const { sim } = transport
    const args = { city: 'Oslo' }
    sim.next('chat.complete', { answer: { calls: [{ name: 'weather', args }] } })
    sim.next('chat.complete', { answer: { text: 'It rains in Oslo.' } })
    sim.next('chat.complete', { answer: { json: args, finish: 'length' } })
    expect(await chat(transport)).toMatchObject({
      message: { tool_calls: [{ function: { name: 'weather', arguments: JSON.stringify(args) } }] },
      finish_reason: 'tool_calls',
    })
    expect((await chat(transport)).message.content).toBe('It rains in Oslo.')
    const third = await chat(transport)
    expect([JSON.parse(third.message.content!), third.finish_reason]).toEqual([args, 'length'])
    expect((await chat(transport)).message.content).not.toContain('Oslo')
    expect(sim.journal().map(({ rules }) => rules)).toEqual([['next-1'], ['next-2'], ['next-3'], []])
  })

  it('scripts streams, native texts and responses, too', async () => {
    needs('chat.complete', 'text.generate', 'responses.create')
    await using transport = await open()
    transport.sim.next('*', { answer: { text: 'It rains.' }, times: 3 })
    const stream = await (await postChat(transport, { ...ask('Why?'), stream: true })).text()
    const deltas = eventsOf(stream) as { choices?: { delta: { content?: string } }[] }[]
    expect(deltas.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')).toBe('It rains.')
    const native = (await (
      await postNative(transport, 'generateContent', say('Why?'))
    ).json()) as NativeAnswer
    expect(textOf(native)).toBe('It rains.')
    const body = { model: 'sim-text-1', input: 'Why?' }
    const created = await (await postJson(transport, '/v1/responses', body)).text()
    expect(created).toContain('"text":"It rains."')
  })
})

it('scripts the answers of one namespace by rules of a scenario, too', async () => {
  await using sim = createSimulator({
    cacheDir: false,
    rules: [{ match: { op: 'chat.*', prompt: '*weather*' }, answer: { text: 'It rains.' } }],
  })
  const call = (path: string, init?: RequestInit) => sim.fetch(`https://gateway.example${path}`, init)
  expect(await (await postChat({ call }, ask('How is the weather?'))).text()).toContain('It rains.')
  expect(await (await postChat({ call }, ask('Why do kites fly?'))).text()).not.toContain('It rains.')
})

it('refuses an answer that says nothing, or two things', async () => {
  await using sim = createSimulator({ cacheDir: false })
  expect(() => sim.next('chat.complete', { answer: {} })).toThrow(
    'answer is {}: it says nothing: give it text, json, calls or block',
  )
  expect(() => sim.next('chat.complete', { answer: { text: 'a', json: 1 } })).toThrow(
    'it has text and json: keep one of them',
  )
})
