import { expect, it } from 'vitest'
import { describeTransports } from '../support/transports.ts'
import { postChat, postNative, type NativeAnswer } from '../support/text.ts'

describeTransports((open) => {
  it('mentions sounds, videos and documents by their kind', async () => {
    await using transport = await open()
    const parts = [
      { text: 'hi' },
      { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://files.example/a.pdf' } },
      { fileData: { mimeType: 'video/mp4', fileUri: 'https://files.example/a.mp4' } },
    ]
    const details = [
      { modality: 'TEXT', tokenCount: 1 },
      { modality: 'AUDIO', tokenCount: 258 },
      { modality: 'DOCUMENT', tokenCount: 258 },
      { modality: 'VIDEO', tokenCount: 258 },
    ]
    const contents = [{ parts }]
    const answer = (await (
      await postNative(transport, 'generateContent', { contents })
    ).json()) as NativeAnswer
    expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 775, promptTokensDetails: details })
    const counted = await (await postNative(transport, 'countTokens', { contents })).json()
    expect(counted).toEqual({ totalTokens: 775, promptTokensDetails: details })

    const sound = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }
    const chat = await postChat(transport, { messages: [{ role: 'user', content: [sound] }] })
    expect(await chat.json()).toMatchObject({
      usage: { prompt_tokens: 258, prompt_tokens_details: { audio_tokens: 258 } },
    })
  })
})
