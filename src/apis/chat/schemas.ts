import * as z from 'zod/mini'
import type { chatOperations } from '../../engine/operations/text.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { anyObject, gatewayError, integer, unixSeconds, type ApiSchema } from '../operation-schema.ts'

export const samplingFields = {
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  presence_penalty: z.optional(z.number().check(z.minimum(-2), z.maximum(2))),
  frequency_penalty: z.optional(z.number().check(z.minimum(-2), z.maximum(2))),
}

const message = named(
  'ChatMessage',
  z.looseObject({
    role: must(z.string(), 'system, developer, user, assistant, tool or function.', 'user'),
    content: may(z.nullable(z.union([z.string(), z.array(anyObject)])), 'A text, or parts.'),
  }),
  'A message of a conversation.',
)

const request = named(
  'ChatRequest',
  z.looseObject({
    model: must(z.string(), 'The name of the model.', 'sim-text-1'),
    messages: z.array(message),
    stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
    stream_options: z.optional(z.looseObject({ include_usage: z.optional(z.boolean()) })),
    ...samplingFields,
    max_tokens: z.optional(integer),
    max_completion_tokens: z.optional(integer),
    n: z.optional(integer.check(z.minimum(1), z.maximum(128))),
    stop: z.optional(z.union([z.string(), z.array(z.string())])),
    seed: z.optional(z.number()),
    logprobs: z.optional(z.boolean()),
    top_logprobs: z.optional(integer.check(z.minimum(0), z.maximum(20))),
    tools: z.optional(z.array(anyObject)),
    tool_choice: z.optional(z.union([z.string(), anyObject])),
    parallel_tool_calls: z.optional(z.boolean()),
    functions: may(z.array(anyObject), 'The older form of `tools`.'),
    function_call: z.optional(z.union([z.string(), anyObject])),
    response_format: may(anyObject, 'The form of the answer: text, JSON, or JSON of a schema.'),
    reasoning_effort: may(
      z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
      'How long it thinks.',
    ),
  }),
  'A request for a chat completion.',
)

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
    system_fingerprint: z.nullable(z.string()),
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
    system_fingerprint: z.nullable(z.string()),
    choices: z.array(z.object({ ...end, delta: z.object({ role: z.optional(z.string()), ...answered }) })),
    usage: z.nullable(usage),
  }),
  'A part of a streamed answer. The last event has the data `[DONE]`.',
)

export const chatSchemas: ApiSchema<keyof typeof chatOperations> = {
  title: 'Chat',
  description: 'Chat completions.',
  error: gatewayError,
  operations: {
    'chat.complete': {
      summary: 'Complete a chat',
      body: request,
      answer: { json: completion, events: z.union([chunk, gatewayError]) },
    },
  },
}
