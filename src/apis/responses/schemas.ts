import * as z from 'zod/mini'
import type { responseOperations } from '../../engine/operations/text.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { samplingFields } from '../chat/schemas.ts'
import {
  anyObject,
  gatewayError,
  integer,
  pageQuery,
  unixSeconds,
  type ApiSchema,
} from '../operation-schema.ts'

const request = named(
  'ResponseRequest',
  z.looseObject({
    model: must(z.string(), 'The name of the model.', 'sim-text-1'),
    input: must(z.union([z.string(), z.array(anyObject)]), 'A text, or items of a conversation.'),
    instructions: z.optional(z.nullable(z.string())),
    stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
    store: may(z.boolean(), 'Whether it can be retrieved later. Default true.'),
    previous_response_id: z.optional(z.nullable(z.string())),
    ...samplingFields,
    max_output_tokens: z.optional(z.nullable(integer.check(z.minimum(16)))),
    top_logprobs: z.optional(integer),
    include: z.optional(z.array(z.string())),
    tools: z.optional(z.array(anyObject)),
    tool_choice: z.optional(z.union([z.string(), anyObject])),
    text: may(anyObject, 'The form of the answer.'),
    reasoning: z.optional(z.nullable(anyObject)),
    metadata: z.optional(z.nullable(anyObject)),
  }),
  'A request for a response.',
)

const item = named(
  'ResponseItem',
  z.looseObject({ id: z.optional(z.string()), type: z.string() }),
  'A message, a call of a function, its output, or reasoning.',
)

const response = named(
  'Response',
  z.object({
    id: z.string(),
    object: z.literal('response'),
    created_at: unixSeconds,
    status: must(z.string(), 'completed, incomplete, in_progress or failed.'),
    background: z.boolean(),
    completed_at: z.nullable(unixSeconds),
    error: z.nullable(anyObject),
    incomplete_details: z.nullable(z.object({ reason: z.string() })),
    instructions: z.nullable(z.string()),
    max_output_tokens: z.nullable(integer),
    max_tool_calls: z.nullable(integer),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.nullable(z.string()),
    prompt_cache_key: z.nullable(z.string()),
    reasoning: z.object({ effort: z.nullable(z.string()), summary: z.nullable(z.string()) }),
    safety_identifier: z.nullable(z.string()),
    service_tier: z.string(),
    store: z.boolean(),
    temperature: z.number(),
    text: anyObject,
    tool_choice: z.union([z.string(), anyObject]),
    tools: z.array(anyObject),
    top_logprobs: integer,
    top_p: z.number(),
    truncation: z.string(),
    user: z.nullable(z.string()),
    metadata: z.nullable(anyObject),
    model: z.string(),
    output: z.array(item),
    usage: z.nullable(
      z.object({
        input_tokens: integer,
        input_tokens_details: z.record(z.string(), integer),
        output_tokens: integer,
        output_tokens_details: z.record(z.string(), integer),
        total_tokens: integer,
      }),
    ),
  }),
  'A response. It repeats the settings of its request.',
)

const event = named(
  'ResponseEvent',
  z.looseObject({
    type: must(z.string(), 'The name of the event.', 'response.output_text.delta'),
    sequence_number: z.optional(integer),
    response: z.optional(response),
  }),
  'An event of a streamed response; its other fields depend on its type.',
)

export const responseSchemas: ApiSchema<keyof typeof responseOperations> = {
  title: 'Responses',
  description: "OpenAI's Responses API over the same texts as chats.",
  error: gatewayError,
  operations: {
    'responses.create': {
      summary: 'Create a response',
      body: request,
      answer: { json: response, events: event },
    },
    'responses.retrieve': { summary: 'Retrieve a response', answer: { json: response } },
    'responses.input-items': {
      summary: 'List what a response was given',
      query: pageQuery,
      answer: {
        json: z.object({
          object: z.literal('list'),
          data: z.array(item),
          first_id: z.nullable(z.string()),
          last_id: z.nullable(z.string()),
          has_more: z.boolean(),
        }),
      },
    },
    'responses.delete': {
      summary: 'Delete a response',
      answer: {
        json: z.object({ id: z.string(), object: z.literal('response'), deleted: z.boolean() }),
      },
    },
  },
}
