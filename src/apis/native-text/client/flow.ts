import { Failed, TransportError } from '../../client/errors.ts'
import { textFlow, type ClientDialect } from '../../client/text-flow.ts'
import type { FirstClient } from '../../define/flow.ts'

interface NativeResponse {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string; readonly thought?: boolean }[] }
    readonly finishReason?: string
  }[]
  readonly promptFeedback?: { readonly blockReason?: string }
  readonly error?: { readonly message?: string }
}

/** How the reference client requests and reads native texts (§4.7, §4.8). */
const nativeDialect: ClientDialect = {
  buildRequest: (model, prompt, isStream) => ({
    path: `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: prompt }] }] },
  }),
  completeReasons: ['STOP'],
  readText: (chunks) => {
    const responses = chunks as readonly NativeResponse[]
    for (const { error, promptFeedback } of responses) {
      if (error) throw new TransportError(`the response reported an error: ${error.message}`)
      if (promptFeedback?.blockReason !== undefined) {
        throw new Failed(`the prompt was blocked: ${promptFeedback.blockReason}`)
      }
    }
    const candidates = responses.flatMap((response) => response.candidates ?? [])
    const reason = candidates.find(({ finishReason }) => finishReason)?.finishReason
    if (!reason) throw new TransportError('the response has no finish reason')
    const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
    return { text: parts.map(({ text = '', thought }) => (thought ? '' : text)).join(''), reason }
  },
}

export const startText = textFlow(nativeDialect, false)
export const startTextStream = textFlow(nativeDialect, true)

/** The client of `greenroom init`. */
export const firstClient: FirstClient = {
  title: 'gets an answer although the gateway is busy at first',
  call: "askQuestion('Why do kites fly?')",
  measure: 'length',
  code: `function askQuestion(text‹: string›)‹: Promise<string>› {
  const body = { contents: [{ role: 'user', parts: [{ text }] }] }
  const path = '/v1beta/models/sim-text-1:generateContent'
  const { candidates } = await sendJson‹<{ candidates: { content: { parts: { text: string }[] } }[] }>›(path, body)
  return candidates[0]‹!›.content.parts[0]‹!›.text
}`,
}
