import { getResponse } from 'msw'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../src/index.ts'
import { ask, postChat } from '../support/text.ts'

const url = 'https://gateway.example'
const timing = { tokensPerSecond: 1 }

/** The response that MSW has, before it clones it. In MSW 2.13 a client gets the clone, and the original stays unread. */
async function open(options: EmbeddedOptions = {}) {
  const sim = createSimulator({ cacheDir: false, ...options })
  const handlers = sim.handlers({ baseUrl: url })
  const call = async (path: string, init?: RequestInit): Promise<Response> =>
    (await getResponse(handlers, new Request(url + path, init)))!
  const respond = () => postChat({ call }, { ...ask('Why do kites fly?'), stream: true })
  const outcome = (): string => sim.journal().at(-1)!.outcome
  return { sim, respond, outcome, [Symbol.asyncDispose]: () => sim.close() }
}

/** A response whose first bytes have been read. */
async function readFirst(response: Response) {
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  return { reader, first: new TextDecoder().decode(value) }
}

it('streams to a client that reads a clone', async () => {
  await using gateway = await open()
  const text = await (await gateway.respond()).clone().text()
  expect(text).toMatch(/^data: [\s\S]*data: \[DONE\]\n\n$/)
  expect(gateway.sim.journal()).toMatchObject([{ outcome: 'completed', content: 'complete' }])
})

it('streams the same to the client and to the listeners of MSW that clone its clone', async () => {
  await using gateway = await open()
  const clone = (await gateway.respond()).clone()
  const ofListener = clone.clone()
  const [text, copy] = await Promise.all([clone.text(), ofListener.text()])
  expect(text).toContain('[DONE]')
  expect(copy).toBe(text)
})

it('gives whole clones of an unread response, however late', async () => {
  await using gateway = await open()
  const response = await gateway.respond()
  const text = await response.clone().text()
  expect(await response.clone().text()).toBe(text)
  expect(await response.text()).toBe(text)
})

it('refuses to clone a response that has been read', async () => {
  await using gateway = await open()
  const response = await gateway.respond()
  await response.text()
  expect(() => response.clone()).toThrow(TypeError)
})

it('breaks off a clone as a connection breaks', async () => {
  await using gateway = await open()
  gateway.sim.next('chat.complete', { fault: 'truncate' })
  const clone = (await gateway.respond()).clone()
  await expect(clone.text()).rejects.toMatchObject({
    message: 'terminated',
    cause: { code: 'UND_ERR_SOCKET' },
  })
  expect(gateway.outcome()).toBe('failed')
})

it('gives the code of an error to who reads a clone of it', async () => {
  await using gateway = await open()
  gateway.sim.next('chat.complete', { fault: 'reset' })
  expect((await gateway.respond()).clone()).toMatchObject({ type: 'error', code: 'ECONNRESET' })
})

it('ends a stream whose client leaves its clone', async () => {
  await using gateway = await open({ text: { timing } })
  const { reader, first } = await readFirst((await gateway.respond()).clone())
  expect(first).toContain('data:')
  await reader.cancel()
  expect(gateway.outcome()).toBe('aborted')
})

it('ends a stream whose client leaves the original, though a listener reads a clone', async () => {
  await using gateway = await open({ text: { timing } })
  const response = await gateway.respond()
  const listening = readFirst(response.clone())
  const { reader } = await readFirst(response)
  const { reader: ofListener } = await listening
  await reader.cancel()
  expect(gateway.outcome()).toBe('aborted')
  while (!(await ofListener.read().catch(() => ({ done: true }))).done);
})

it('goes on for the client when a listener leaves its clone', async () => {
  await using gateway = await open({ text: { timing } })
  const response = await gateway.respond()
  const listening = readFirst(response.clone())
  const { reader } = await readFirst(response)
  await (await listening).reader.cancel()
  let read = await reader.read()
  while (!read.done) read = await reader.read()
  expect(gateway.outcome()).toBe('completed')
})
