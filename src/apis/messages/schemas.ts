import * as z from 'zod/mini'
import { may, must, named } from '../../scenario/schema/fields.ts'
import type { NamesOf } from '../define/api.ts'
import { anyObject, integer, type ApiSchema } from '../define/operation-schema.ts'
import type { messagesApi } from './api.ts'
import { countRequest, messageRequest } from './request-schemas.ts'

const block = named(
  'ContentBlock',
  z.union([
    z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.object({ type: z.literal('text'), text: z.string(), citations: z.array(z.unknown()) }),
    z.object({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: anyObject,
      caller: z.object({ type: z.literal('direct') }),
    }),
  ]),
  'A block of a message.',
)

const deltaUsage = {
  input_tokens: integer,
  cache_creation_input_tokens: integer,
  cache_read_input_tokens: integer,
  output_tokens: integer,
  output_tokens_details: z.object({ thinking_tokens: integer }),
  server_tool_use: z.null(),
}

const stopDetails = z.nullable(
  z.object({ type: z.literal('refusal'), category: z.null(), explanation: z.string() }),
)

const answer = named(
  'Message',
  z.object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(block),
    stop_reason: must(
      z.nullable(z.string()),
      'end_turn, max_tokens, stop_sequence, tool_use or refusal; null at the beginning of a stream.',
    ),
    stop_sequence: z.nullable(z.string()),
    stop_details: stopDetails,
    container: z.null(),
    diagnostics: z.null(),
    usage: z.object({
      ...deltaUsage,
      cache_creation: z.record(z.string(), integer),
      inference_geo: z.null(),
      service_tier: z.string(),
      speed: z.null(),
    }),
  }),
  'A whole answer.',
)

export const messageError = named(
  'MessageError',
  z.object({
    type: z.literal('error'),
    error: z.object({
      type: z.string(),
      message: z.string(),
      details: z.optional(z.object({ error_code: z.string() })),
    }),
    request_id: z.string(),
  }),
  "A refusal in Anthropic's form.",
)

const index = integer

const event = named(
  'MessageEvent',
  z.union([
    z.object({ type: z.literal('message_start'), message: answer }),
    z.object({ type: z.literal('content_block_start'), index, content_block: block }),
    z.object({ type: z.literal('ping') }),
    z.object({
      type: z.literal('content_block_delta'),
      index,
      delta: z.union([
        z.object({ type: z.literal('text_delta'), text: z.string() }),
        z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
        z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
        z.object({ type: z.literal('signature_delta'), signature: z.string() }),
      ]),
    }),
    z.object({ type: z.literal('content_block_stop'), index }),
    z.object({
      type: z.literal('message_delta'),
      delta: z.object({
        stop_reason: z.string(),
        stop_sequence: z.nullable(z.string()),
        stop_details: stopDetails,
        container: z.null(),
      }),
      usage: z.object(deltaUsage),
    }),
    z.object({ type: z.literal('message_stop') }),
    messageError,
  ]),
  'An event of a streamed message; its name is its type.',
)

const headers = z.object({
  'anthropic-version': may(
    z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)),
    "Anthropic's own API requires it.",
    '2023-06-01',
  ),
})

export const messagesSchemas: ApiSchema<NamesOf<[typeof messagesApi]>> = {
  title: 'Messages',
  description: "Anthropic's Messages API over the same texts as chats.",
  error: messageError,
  keys: 'messages',
  operations: {
    'messages.create': {
      summary: 'Create a message',
      headers,
      body: messageRequest,
      answer: { json: answer, events: event },
    },
    'messages.count-tokens': {
      summary: 'Count the tokens of a message',
      headers,
      body: countRequest,
      answer: { json: z.object({ input_tokens: integer }) },
    },
  },
}
