import type { OpenTransport } from './transports.ts'
import { postJson, textModel } from './text.ts'

/** The fields of a response that tests read. */
export interface ResponseBody {
  id: string
  status: string
  output: OutputItem[]
  previous_response_id: string | null
  incomplete_details: { reason: string } | null
  usage: { input_tokens: number; output_tokens: number; total_tokens: number } | null
}

export interface OutputItem {
  id: string
  type: string
  status?: string
  content?: { type: string; text: string }[]
  summary?: { text: string }[]
  call_id?: string
  name?: string
  arguments?: string
}

/** An event of a stream, with the fields of all types. */
export interface ResponseEvent {
  type: string
  sequence_number: number
  response?: ResponseBody
  item?: OutputItem
  item_id?: string
  output_index?: number
  delta?: string
  error?: { message: string; type: string; code: string }
}

export function postResponse(
  transport: Pick<OpenTransport, 'call'>,
  fields: Record<string, unknown>,
  init: Parameters<typeof postJson>[3] = {},
): Promise<Response> {
  return postJson(transport, '/v1/responses', { model: textModel, ...fields }, init)
}

export async function respond(
  transport: Pick<OpenTransport, 'call'>,
  fields: Record<string, unknown>,
): Promise<ResponseBody> {
  return (await (await postResponse(transport, fields)).json()) as ResponseBody
}

/** Parses the events of a stream, and checks their types. */
export function responseEvents(text: string): ResponseEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '')
  return blocks.map((block) => {
    const [, type, data] = /^event: (\S+)\ndata: (.+)$/.exec(block) ?? []
    const event = JSON.parse(data ?? 'null') as ResponseEvent
    if (event?.type !== type) throw new Error(`This is no event of a response: ${block}`)
    return event
  })
}

/** The text of a response. */
export function outputText({ output }: Pick<ResponseBody, 'output'>): string {
  return output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join('')
}

/** A function tool for the weather. */
export const weatherTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
