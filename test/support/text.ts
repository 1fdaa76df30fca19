import type { OpenTransport } from './transports.ts'
import { authorization } from './video.ts'

export const textModel = 'sim-text-1'

type Called = Pick<OpenTransport, 'call'>

/** Sends JSON. */
export function postJson(
  transport: Called,
  path: string,
  body: unknown,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return transport.call(path, {
    ...init,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Calls a native action of the default model. */
export function postNative(
  transport: Called,
  action: string,
  body: unknown,
  init: Parameters<typeof postJson>[3] = {},
): Promise<Response> {
  return postJson(transport, `/v1beta/models/${textModel}:${action}`, body, init)
}

export function postChat(
  transport: Called,
  fields: Record<string, unknown>,
  init: Parameters<typeof postJson>[3] = {},
): Promise<Response> {
  return postJson(transport, '/v1/chat/completions', { model: textModel, ...fields }, init)
}

/** A native conversation of one turn. */
export const say = (text: string): { contents: unknown[] } => ({
  contents: [{ role: 'user', parts: [{ text }] }],
})

/** A chat of one message. */
export const ask = (content: string): { messages: unknown[] } => ({ messages: [{ role: 'user', content }] })

/** The `data:` of every event of a stream, parsed. */
export function eventsOf(text: string): unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as unknown)))
}

export interface NativeAnswer {
  candidates?: {
    content: { role: string; parts?: { text?: string; thought?: boolean; functionCall?: NativeCall }[] }
    finishReason?: string
    finishMessage?: string
    index: number
  }[]
  promptFeedback?: { blockReason: string }
  usageMetadata: Record<string, number>
  modelVersion: string
  responseId: string
  error?: { code: number; message: string; status: string }
}

interface NativeCall {
  name: string
  args: Record<string, unknown>
  id?: string
}

/** The text of one candidate of a native response, without thoughts. */
export function textOf(answer: NativeAnswer, index = 0): string {
  const parts = answer.candidates?.find((candidate) => candidate.index === index)?.content.parts ?? []
  return parts.map(({ text = '', thought }) => (thought ? '' : text)).join('')
}
