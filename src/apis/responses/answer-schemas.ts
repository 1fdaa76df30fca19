import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { must, named } from '../../scenario/schema/fields.ts'
import { anyObject, integer, unixSeconds } from '../define/operation-schema.ts'

export const responseItem = once(() =>
  named(
    'ResponseItem',
    z.looseObject({ id: z.optional(z.string()), type: z.string() }),
    'A message, a call of a function, its output, or reasoning.',
  ),
)

export const responseSchema = once(() =>
  named(
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
      user: z.optional(z.nullable(z.string())),
      metadata: z.nullable(anyObject),
      model: z.string(),
      output: z.array(responseItem()),
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
  ),
)

export const responseEvent = once(() =>
  named(
    'ResponseEvent',
    z.looseObject({
      type: must(z.string(), 'The name of the event.', 'response.output_text.delta'),
      sequence_number: z.optional(integer),
      response: z.optional(responseSchema()),
    }),
    'An event of a streamed response; its other fields depend on its type.',
  ),
)
