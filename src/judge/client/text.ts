import { createParser, type ParseError } from 'eventsource-parser'
import { parseJson, type Timeout } from './api-client.ts'
import { Failed, TransportError } from './errors.ts'
import type { StartFlow } from './task-result.ts'

interface FinishedText {
  readonly text: string
  /** The finish reason of the response. */
  readonly reason: string
}

/** A text API: its requests, and how its responses are read. */
interface TextDialect {
  readonly buildRequest: (model: string, prompt: string, isStream: boolean) => { path: string; body: unknown }
  /** Reads a response, or all chunks of a stream. @throws {TransportError} for an error or a missing end. */
  readonly readText: (chunks: readonly unknown[]) => FinishedText
  /** Any other finish reason, such as `length`, leaves the text incomplete. */
  readonly completeReasons: readonly string[]
  /** The data of the event that ends a stream. */
  readonly lastEvent?: string
}

interface NativeResponse {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string; readonly thought?: boolean }[] }
    readonly finishReason?: string
  }[]
  readonly promptFeedback?: { readonly blockReason?: string }
  readonly error?: { readonly message?: string }
}

/** §4.7 and §4.8. */
const nativeDialect: TextDialect = {
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

interface ChatResponse {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly error?: { readonly message?: string }
}

/** §4.9. */
const chatDialect: TextDialect = {
  buildRequest: (model, prompt, isStream) => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: prompt }], ...(isStream ? { stream: true } : {}) },
  }),
  completeReasons: ['stop', 'tool_calls'],
  lastEvent: '[DONE]',
  readText: (chunks) => {
    const responses = chunks as readonly ChatResponse[]
    const error = responses.find((response) => response.error)?.error
    if (error) throw new TransportError(`the response reported an error: ${error.message}`)
    const choices = responses.flatMap((response) => response.choices ?? [])
    const reason = choices.find(({ finish_reason }) => finish_reason)?.finish_reason
    if (!reason) throw new TransportError('the response has no finish reason')
    return {
      text: choices.map(({ message, delta }) => message?.content ?? delta?.content ?? '').join(''),
      reason,
    }
  },
}

/** Requests a text. An incomplete text is reported, not retried: a retry would return the same text. */
const startFlow =
  (dialect: TextDialect, isStream: boolean): StartFlow =>
  async (client, prompt, output) => {
    const { path, body } = dialect.buildRequest(client.settings.model, prompt, isStream)
    return async () => {
      const { text, reason } = await client.retry(async () => {
        if (!isStream) return dialect.readText([await client.json(path, { method: 'POST', body })])
        return client.open(path, { method: 'POST', body }, (response, timeout) =>
          readStream(response, timeout, dialect),
        )
      })
      output.text = text
      if (!dialect.completeReasons.includes(reason))
        throw new Failed(`the text is incomplete, finish reason ${reason}`)
    }
  }

async function readStream(
  response: Response,
  timeout: Timeout,
  { readText, lastEvent }: TextDialect,
): Promise<FinishedText> {
  const chunks: unknown[] = []
  let hasEnded = lastEvent === undefined
  for await (const data of readEvents(response, timeout)) {
    if (data === lastEvent) {
      hasEnded = true
      continue
    }
    const chunk = parseJson(data)
    if (chunk === undefined) throw new TransportError(`an event is not JSON: ${data.slice(0, 60)}`)
    chunks.push(chunk)
  }
  const text = readText(chunks)
  if (!hasEnded) throw new TransportError(`the stream ended without ${lastEvent}`)
  return text
}

const maxEventLength = 1024 * 1024

/**
 * Reads the data of server-sent events.
 * @throws {TransportError} for a stream that ends inside an event.
 */
async function* readEvents(response: Response, timeout: Timeout): AsyncGenerator<string, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  const received: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => received.push(data),
    maxBufferSize: maxEventLength,
    onError: refuseLongEvent,
  })
  let end = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      timeout.renew()
      const text = decoder.decode(next.value, { stream: true })
      parser.feed(text)
      end = (end + text).slice(-4)
      yield* received.splice(0)
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  if (end !== '' && !/(?:\r?\n){2}$/.test(end)) throw new TransportError('the stream ended inside an event')
}

function refuseLongEvent({ type }: ParseError): void {
  if (type === 'max-buffer-size-exceeded') throw new TransportError('an event of the stream does not end')
}

export const startText = startFlow(nativeDialect, false)
export const startTextStream = startFlow(nativeDialect, true)
export const startChat = startFlow(chatDialect, false)
export const startChatStream = startFlow(chatDialect, true)
