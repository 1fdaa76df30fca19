import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { anyObject, integer } from '../define/operation-schema.ts'

const block = once(() =>
  named(
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
  ),
)

/** A block of a message's content. */
export type Block = z.output<ReturnType<typeof block>>

const deltaUsage = once(() => ({
  input_tokens: integer,
  cache_creation_input_tokens: integer,
  cache_read_input_tokens: integer,
  output_tokens: integer,
  output_tokens_details: z.object({ thinking_tokens: integer }),
  server_tool_use: z.null(),
}))

const stopDetails = once(() =>
  z.nullable(z.object({ type: z.literal('refusal'), category: z.null(), explanation: z.string() })),
)

export const messageSchema = once(() =>
  named(
    'Message',
    z.object({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: z.array(block()),
      stop_reason: must(
        z.nullable(z.string()),
        'end_turn, max_tokens, stop_sequence, tool_use or refusal; null at the beginning of a stream.',
      ),
      stop_sequence: z.nullable(z.string()),
      stop_details: stopDetails(),
      container: z.null(),
      diagnostics: z.null(),
      usage: z.object({
        ...deltaUsage(),
        cache_creation: z.record(z.string(), integer),
        inference_geo: z.null(),
        service_tier: z.string(),
        speed: z.null(),
      }),
    }),
    'A whole answer.',
  ),
)

/** The envelope of refusals. */
export const messageError = once(() =>
  named(
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
  ),
)

export const messageEvent = once(() =>
  named(
    'MessageEvent',
    z.union([
      z.object({ type: z.literal('message_start'), message: messageSchema() }),
      z.object({ type: z.literal('content_block_start'), index: integer, content_block: block() }),
      z.object({ type: z.literal('ping') }),
      z.object({
        type: z.literal('content_block_delta'),
        index: integer,
        delta: z.union([
          z.object({ type: z.literal('text_delta'), text: z.string() }),
          z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
          z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
          z.object({ type: z.literal('signature_delta'), signature: z.string() }),
        ]),
      }),
      z.object({ type: z.literal('content_block_stop'), index: integer }),
      z.object({
        type: z.literal('message_delta'),
        delta: z.object({
          stop_reason: z.string(),
          stop_sequence: z.nullable(z.string()),
          stop_details: stopDetails(),
          container: z.null(),
        }),
        usage: z.object(deltaUsage()),
      }),
      z.object({ type: z.literal('message_stop') }),
      messageError(),
    ]),
    'An event of a streamed message; its name is its type.',
  ),
)

/** The header that all operations of this API read. */
export const versionHeader = once(() =>
  z.object({
    'anthropic-version': may(
      z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)),
      "Anthropic's own API requires it.",
      '2023-06-01',
    ),
  }),
)
