import sharp from 'sharp'
import { expect, it } from 'vitest'
import { describeTransports, openDirect, type OpenTransport } from '../../support/transports.ts'
import { postJson } from '../../support/text.ts'
import { needs } from '../../support/needs.ts'

interface Part {
  text?: string
  inlineData?: { mimeType: string; data: string }
}

interface Answer {
  candidates: { content: { parts?: Part[]; role: string }; finishReason?: string }[]
  usageMetadata: {
    promptTokenCount: number
    candidatesTokenCount: number
    totalTokenCount: number
    candidatesTokensDetails?: { modality: string; tokenCount: number }[]
  }
}

const ask = (
  transport: Pick<OpenTransport, 'call'>,
  generationConfig: object,
  text = 'a red fox [[say: Here.]]',
  action = 'generateContent',
): Promise<Response> =>
  postJson(transport, `/v1beta/models/sim-image-1:${action}`, {
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig,
  })

const answerOf = async (response: Response): Promise<Answer> => (await response.json()) as Answer

async function sizeOf({ inlineData }: Part): Promise<string> {
  const { format, width, height } = await sharp(Buffer.from(inlineData!.data, 'base64')).metadata()
  return `${format} ${width}x${height}`
}

const both = { responseModalities: ['TEXT', 'IMAGE'] }

describeTransports((open) => {
  it('answers with a text and an image, and counts the tokens of both', async () => {
    await using transport = await open()
    const { candidates, usageMetadata } = await answerOf(await ask(transport, both))
    const [text, image] = candidates[0]!.content.parts!
    expect([text, image!.inlineData!.mimeType, await sizeOf(image!)]).toEqual([
      { text: 'Here.' },
      'image/png',
      'png 1024x1024',
    ])
    expect(usageMetadata).toMatchObject({
      candidatesTokenCount: 1_292,
      totalTokenCount: usageMetadata.promptTokenCount + 1_292,
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 2 },
        { modality: 'IMAGE', tokenCount: 1_290 },
      ],
    })
  })

  it.each([
    ['gemini-2.5-flash-image', {}],
    ['gemini-3-pro-image-preview', {}],
    ['sim-text-1', { imageConfig: { aspectRatio: '16:9' } }],
  ])('answers with an image without responseModalities: %s %j', async (model, generationConfig) => {
    await using transport = await open()
    const response = await transport.call(`/v1beta/models/${model}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Draw a kite.' }] }], generationConfig }),
    })
    const parts = (await answerOf(response)).candidates[0]!.content.parts!
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(['text', 'inlineData'])
  })

  it('streams the image between the text and the end', async () => {
    await using transport = await open()
    const whole = await answerOf(await ask(transport, both))
    const text = await (await ask(transport, both, undefined, 'streamGenerateContent?alt=sse')).text()
    const chunks = text
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.slice('data: '.length)) as Answer)
    const parts = chunks.flatMap(({ candidates }) => candidates[0]!.content.parts ?? [])
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(['text', 'text', 'inlineData'])
    expect(parts.at(-1)).toEqual(whole.candidates[0]!.content.parts![1])
    expect(chunks.at(-1)!.candidates[0]!.finishReason).toBe('STOP')
    expect(chunks.at(-1)!.usageMetadata.candidatesTokenCount).toBe(1_292)
  })
})

it.each([
  ['16:9', undefined, 'png 1344x768'],
  ['2:3', '1K', 'png 832x1248'],
  ['1:1', '2K', 'png 2048x2048'],
])('paints the ratio %s in the size %s', async (aspectRatio, imageSize, size) => {
  await using transport = await openDirect()
  const config = { responseModalities: ['IMAGE'], imageConfig: { aspectRatio, imageSize } }
  const { candidates } = await answerOf(await ask(transport, config))
  expect(await sizeOf(candidates[0]!.content.parts![0]!)).toBe(size)
})

it('answers with an image alone, and charges for it', async () => {
  await using transport = await openDirect({ prices: [{ models: '*', output: 10 }] })
  const { candidates, usageMetadata } = await answerOf(
    await ask(transport, { responseModalities: ['IMAGE'] }),
  )
  expect(candidates[0]!.content.parts!.map((part) => Object.keys(part))).toEqual([['inlineData']])
  expect(usageMetadata.candidatesTokenCount).toBe(1_290)
  expect(transport.sim.usage()).toMatchObject([{ tokens: { output: 1_290 } }])
})

it('paints what the Images API paints of the same words', async () => {
  needs('images.generate')
  await using transport = await openDirect()
  const { candidates } = await answerOf(await ask(transport, { responseModalities: ['IMAGE'] }, 'a red fox'))
  const response = await postJson(transport, '/v1/images/generations', {
    model: 'sim-image-1',
    prompt: 'a red fox',
    response_format: 'b64_json',
  })
  const { data } = (await response.json()) as { data: { b64_json: string }[] }
  expect(candidates[0]!.content.parts![0]!.inlineData!.data).toBe(data[0]!.b64_json)
})

it('changes the image of the turn before', async () => {
  await using transport = await openDirect()
  const { candidates } = await answerOf(await ask(transport, { responseModalities: ['IMAGE'] }, 'a red fox'))
  const { content } = candidates[0]!
  const send = async (contents: object[]): Promise<string> => {
    const answer = await answerOf(
      await postJson(transport, '/v1beta/models/sim-image-1:generateContent', {
        contents,
        generationConfig: { responseModalities: ['IMAGE'] },
      }),
    )
    return answer.candidates[0]!.content.parts![0]!.inlineData!.data
  }
  const hat = { role: 'user', parts: [{ text: 'a yellow hat' }] }
  const changed = await send([{ role: 'user', parts: [{ text: 'a red fox' }] }, content, hat])
  const alone = await send([hat])
  expect(new Set([changed, alone, content.parts![0]!.inlineData!.data]).size).toBe(3)
  // The corner is still that of the fox.
  const corner = async (data: string): Promise<Buffer> =>
    sharp(Buffer.from(data, 'base64'))
      .extract({ left: 0, top: 0, width: 8, height: 8 })
      .removeAlpha()
      .raw()
      .toBuffer()
  const [before, after] = [await corner(content.parts![0]!.inlineData!.data), await corner(changed)]
  const differences = before.map((value, index) => Math.abs(value - after[index]!))
  expect(differences.reduce((sum, difference) => sum + difference, 0) / differences.length).toBeLessThan(10)
})

it('waits for the image after the text', async () => {
  await using transport = await openDirect({
    clock: { mode: 'auto' },
    text: { timing: { tokensPerSecond: 10 } },
  })
  const start = transport.sim.clock.now()
  await (await ask(transport, both)).text()
  const plain = transport.sim.clock.now() - start
  await (await ask(transport, both, undefined, 'streamGenerateContent?alt=sse')).text()
  expect(transport.sim.clock.now() - start).toBe(2 * plain)
  expect(plain).toBeGreaterThanOrEqual(129_000)
})

it.each([
  [{ responseModalities: ['SMELL'] }, 'responseModalities'],
  [{ responseModalities: ['IMAGE'], candidateCount: 2 }, 'candidateCount'],
  [{ responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '7:1' } }, 'aspectRatio'],
  [{ responseModalities: ['IMAGE'], imageConfig: { imageSize: '8K' } }, 'imageSize'],
])('refuses %o by the name of the field', async (config, field) => {
  await using transport = await openDirect()
  const response = await ask(transport, config)
  const { error } = (await response.json()) as { error: { message: string } }
  expect([response.status, error.message]).toEqual([400, expect.stringContaining(field)])
})

it('advises on modalities that are not made', async () => {
  await using transport = await openDirect()
  const response = await ask(transport, { responseModalities: ['AUDIO'] })
  expect(response.headers.get('x-greenroom-hint')).toMatch(/^AUDIO in responseModalities is ignored/)
})

it('paints nothing for a prompt that is refused', async () => {
  await using transport = await openDirect({ prices: [{ models: '*', output: 10 }] })
  const answer = (await (await ask(transport, both, 'a fox [[block]]')).json()) as object
  expect(answer).toMatchObject({ promptFeedback: { blockReason: 'SAFETY' } })
  expect(transport.sim.usage()).toMatchObject([{ tokens: { output: 0 } }])
})
