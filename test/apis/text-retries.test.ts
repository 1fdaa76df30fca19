import { expect, it } from 'vitest'
import { describeDoors, type OpenDoor } from '../support/doors.ts'
import { postChat, postNative, say, textOf, type NativeAnswer } from '../support/text.ts'

interface ChatAnswer {
  readonly id: string
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}

const question = { messages: [{ role: 'user', content: 'Describe a harbour at dawn.' }] }

async function askChat(door: OpenDoor, fields: object = {}): Promise<ChatAnswer> {
  return (await (await postChat(door, { ...question, ...fields })).json()) as ChatAnswer
}

async function readNative(door: OpenDoor, generationConfig?: object): Promise<string> {
  const body = { ...say('Describe a harbour at dawn.'), ...(generationConfig && { generationConfig }) }
  return textOf((await (await postNative(door, 'generateContent', body)).json()) as NativeAnswer)
}

const readTexts = ({ choices }: ChatAnswer): string[] => choices.map(({ message }) => message.content)

describeDoors((open) => {
  it('answers an identical chat request with the same text under a new id', async () => {
    await using door = await open()
    const first = await askChat(door)
    const retry = await askChat(door)

    expect(readTexts(retry)).toEqual(readTexts(first))
    expect(retry.id).not.toBe(first.id)
  })

  it('answers an identical native request with the same text', async () => {
    await using door = await open()
    const first = await readNative(door)

    expect(await readNative(door)).toBe(first)
  })

  it('gives the choices of one answer different texts, and the same ones again to a retry', async () => {
    await using door = await open()
    const texts = readTexts(await askChat(door, { n: 3 }))

    expect(new Set(texts).size).toBe(3)
    expect(readTexts(await askChat(door, { n: 3 }))).toEqual(texts)
  })

  it('answers another seed field with another text, and the same seed with the same one', async () => {
    await using door = await open()
    const [text] = readTexts(await askChat(door))
    const [seeded] = readTexts(await askChat(door, { seed: 7 }))

    expect(seeded).not.toBe(text)
    expect(readTexts(await askChat(door, { seed: 8 }))).not.toEqual([seeded])
    expect(readTexts(await askChat(door, { seed: 7 }))).toEqual([seeded])
    expect(await readNative(door, { seed: 7 })).toBe(seeded)
  })

  it('answers another message with another text', async () => {
    await using door = await open()
    const [text] = readTexts(await askChat(door))
    const [other] = readTexts(
      await askChat(door, { messages: [{ role: 'user', content: 'Describe a harbour at dusk.' }] }),
    )

    expect(other).not.toBe(text)
  })

  it('refuses a seed that is no number', async () => {
    await using door = await open()
    const response = await postChat(door, { ...question, seed: 'seven' })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('field seed must be a number')
  })
})
