import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, named } from '../../scenario/schema/fields.ts'
import {
  anyObject,
  gatewayError,
  integer,
  unixSeconds,
  type OperationDetails,
} from '../define/operation-schema.ts'

/** Whole answers, and the events of streamed ones. */
export const describeCompletion = once((): OperationDetails => {
  const usage = z.object({
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    prompt_tokens_details: z.optional(z.record(z.string(), integer)),
    completion_tokens_details: z.optional(z.record(z.string(), integer)),
  })

  const calledFunction = z.object({ name: z.optional(z.string()), arguments: z.string() })

  const toolCall = z.object({
    index: may(integer, 'In streams.'),
    id: z.optional(z.string()),
    type: z.optional(z.literal('function')),
    function: calledFunction,
  })

  const token = z.object({ token: z.string(), logprob: z.number(), bytes: z.nullable(z.array(integer)) })

  const logprobs = z.nullable(
    z.object({
      content: z.nullable(z.array(z.extend(token, { top_logprobs: z.array(token) }))),
      refusal: z.null(),
    }),
  )

  const answered = {
    content: z.optional(z.nullable(z.string())),
    reasoning_content: may(z.string(), 'Its thoughts, if the request asks for them.'),
    tool_calls: z.optional(z.array(toolCall)),
    function_call: z.optional(calledFunction),
  }

  const end = { logprobs, finish_reason: z.nullable(z.string()), index: integer }

  const completion = named(
    'ChatCompletion',
    z.object({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: unixSeconds,
      model: z.string(),
      choices: z.array(
        z.object({
          ...end,
          message: z.object({
            role: z.literal('assistant'),
            refusal: z.nullable(z.string()),
            annotations: z.array(anyObject),
            ...answered,
          }),
        }),
      ),
      usage,
      service_tier: z.string(),
    }),
    'A whole answer.',
  )

  const chunk = named(
    'ChatChunk',
    z.object({
      id: z.string(),
      object: z.literal('chat.completion.chunk'),
      created: unixSeconds,
      model: z.string(),
      choices: z.array(z.object({ ...end, delta: z.object({ role: z.optional(z.string()), ...answered }) })),
      usage: z.nullable(usage),
    }),
    'A part of a streamed answer. The last event has the data `[DONE]`.',
  )

  return { answer: { json: completion, events: z.union([chunk, gatewayError]) } }
})
