import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { postChat, postNative, say, textOf, type NativeAnswer } from '../support/text.ts'

interface ChatAnswer {
  readonly id: string
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}

const question = { messages: [{ role: 'user', content: 'Describe a harbour at dawn.' }] }

async function askChat(transport: OpenTransport, fields: object = {}): Promise<ChatAnswer> {
  return (await (await postChat(transport, { ...question, ...fields })).json()) as ChatAnswer
}

async function readNative(transport: OpenTransport, generationConfig?: object): Promise<string> {
  const body = { ...say('Describe a harbour at dawn.'), ...(generationConfig && { generationConfig }) }
  return textOf((await (await postNative(transport, 'generateContent', body)).json()) as NativeAnswer)
}

const readTexts = ({ choices }: ChatAnswer): string[] => choices.map(({ message }) => message.content)

describeTransports((open) => {
  it('answers an identical chat request with the same text under a new id', async () => {
    await using transport = await open()
    const first = await askChat(transport)
    const retry = await askChat(transport)

    expect(readTexts(retry)).toEqual(readTexts(first))
    expect(retry.id).not.toBe(first.id)
  })

  it('answers an identical native request with the same text', async () => {
    await using transport = await open()
    const first = await readNative(transport)

    expect(await readNative(transport)).toBe(first)
  })

  it('gives the choices of one answer different texts, and the same ones again to a retry', async () => {
    await using transport = await open()
    const texts = readTexts(await askChat(transport, { n: 3 }))

    expect(new Set(texts).size).toBe(3)
    expect(readTexts(await askChat(transport, { n: 3 }))).toEqual(texts)
  })

  it('answers another seed field with another text, and the same seed with the same one', async () => {
    await using transport = await open()
    const [text] = readTexts(await askChat(transport))
    const [seeded] = readTexts(await askChat(transport, { seed: 7 }))

    expect(seeded).not.toBe(text)
    expect(readTexts(await askChat(transport, { seed: 8 }))).not.toEqual([seeded])
    expect(readTexts(await askChat(transport, { seed: 7 }))).toEqual([seeded])
    expect(await readNative(transport, { seed: 7 })).toBe(seeded)
  })

  it('answers another message with another text', async () => {
    await using transport = await open()
    const [text] = readTexts(await askChat(transport))
    const [other] = readTexts(
      await askChat(transport, { messages: [{ role: 'user', content: 'Describe a harbour at dusk.' }] }),
    )

    expect(other).not.toBe(text)
  })

  it('refuses a seed that is not a number', async () => {
    await using transport = await open()
    const response = await postChat(transport, { ...question, seed: 'seven' })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('field seed must be a number')
  })
})
