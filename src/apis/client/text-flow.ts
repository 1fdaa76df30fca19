import { createParser, type ParseError } from 'eventsource-parser'
import { tryParseJson, type Timeout } from './api-client.ts'
import { Failed, TransportError } from './errors.ts'
import type { StartFlow } from './task-result.ts'

interface FinishedText {
  readonly text: string
  /** The finish reason of the response. */
  readonly reason: string
}

/** A text API: its requests, and how its responses are read. */
export interface ClientDialect {
  readonly buildRequest: (model: string, prompt: string, isStream: boolean) => { path: string; body: unknown }
  /** Reads a response, or all chunks of a stream. @throws {TransportError} for an error or a missing end. */
  readonly readText: (chunks: readonly unknown[]) => FinishedText
  /** With any other finish reason, such as `length`, the text is incomplete. */
  readonly completeReasons: readonly string[]
  /** The data of the event that ends a stream. */
  readonly lastEvent?: string
}

/** Requests a text. An incomplete text is reported, not retried: a retry would return the same text. */
export const textFlow =
  (dialect: ClientDialect, isStream: boolean): StartFlow =>
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
  { readText, lastEvent }: ClientDialect,
): Promise<FinishedText> {
  const chunks: unknown[] = []
  let hasEnded = lastEvent === undefined
  for await (const data of readEvents(response, timeout)) {
    if (data === lastEvent) {
      hasEnded = true
      continue
    }
    const chunk = tryParseJson(data)
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
