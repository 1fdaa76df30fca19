import type { OpenTransport } from './transports.ts'
import { postJson, textModel } from './text.ts'

/** The fields of a message that tests read. */
export interface MessageBody {
  id: string
  content: MessageBlock[]
  stop_reason: string | null
  stop_sequence: string | null
  stop_details: { explanation: string } | null
  usage: { input_tokens: number; output_tokens: number }
}

export interface MessageBlock {
  type: string
  text?: string
  thinking?: string
  signature?: string
  id?: string
  name?: string
  input?: unknown
}

/** An event of a stream, with the fields of all types. */
export interface MessageEvent {
  type: string
  index?: number
  message?: MessageBody
  content_block?: MessageBlock
  delta?: { type?: string; text?: string; partial_json?: string; thinking?: string; stop_reason?: string }
  error?: { type: string; message: string }
  request_id?: string
}

type Called = Pick<OpenTransport, 'call'>

/** The headers of Anthropic's clients, which have no `Authorization`. */
export const clientHeaders = {
  authorization: '',
  'x-api-key': 'sk-test',
  'anthropic-version': '2023-06-01',
}

/** Sends a request for a message, with 1,000 tokens at most. */
export function postMessage(
  transport: Called,
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = { model: textModel, max_tokens: 1_000, ...fields }
  return postJson(transport, '/v1/messages', body, { headers: { ...clientHeaders, ...headers } })
}

/** The message that the gateway writes. */
export async function message(transport: Called, fields: Record<string, unknown>): Promise<MessageBody> {
  return (await (await postMessage(transport, fields)).json()) as MessageBody
}

/** Parses the events of a stream, and checks that each has the name of its type. */
export function messageEvents(text: string): MessageEvent[] {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block !== '')
  return blocks.map((block) => {
    const [, type, data] = /^event: (\S+)\r?\ndata: (.+)$/.exec(block) ?? []
    const event = JSON.parse(data ?? 'null') as MessageEvent
    if (event?.type !== type) throw new Error(`This is no event of a message: ${block}`)
    return event
  })
}

/** The text of a message. */
export function messageText({ content }: Pick<MessageBody, 'content'>): string {
  return content.map(({ text = '' }) => text).join('')
}

/** A tool for the weather. */
export const weatherTool = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
