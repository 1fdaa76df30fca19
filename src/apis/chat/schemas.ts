import * as z from 'zod/mini'
import type { chatApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  anyObject,
  constrain,
  filledText,
  gatewayError,
  integer,
  integers,
  isTrue,
  jsonSchema,
  modelName,
  range,
  unixSeconds,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { effortNames, maxAnswers, maxSeed, maxStops, maxTokens } from './request.ts'
import { functionName, maxTools } from './tools.ts'

export const samplingFields = {
  temperature: z.optional(range(0, 2)),
  top_p: z.optional(range(0, 1)),
  presence_penalty: z.optional(range(-2, 2)),
  frequency_penalty: z.optional(range(-2, 2)),
}

const parts = z.array(
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: must(
        z.union([z.looseObject({ url: z.string() }), z.string()]),
        'A data URL or an http(s) URL.',
      ),
    }),
    z.looseObject({ type: z.enum(['input_audio', 'file']) }),
  ]),
)

const content = z.union([z.string(), parts])

const call = z.looseObject({
  name: filledText,
  arguments: may(z.string(), 'A JSON object, written as a text.', '{}'),
})

const message = named(
  'ChatMessage',
  z.union([
    z.looseObject({ role: z.enum(['system', 'developer']), content: z.optional(content) }),
    z.looseObject({
      role: z.literal('user'),
      content: must(z.union([z.string(), parts.check(z.minLength(1))]), 'A text, or parts.'),
    }),
    z.looseObject({
      role: z.literal('assistant'),
      content: z.optional(z.nullable(content)),
      tool_calls: may(
        z.array(z.looseObject({ id: filledText, function: call })).check(z.maxLength(maxTools)),
        'Each is answered by a message right after it.',
      ),
      function_call: z.optional(call),
    }),
    z.looseObject({
      role: z.literal('tool'),
      tool_call_id: must(filledText, 'A call of the message before.'),
      content: z.optional(content),
    }),
    z.looseObject({
      role: z.literal('function'),
      name: must(z.string(), 'A function that was called before.'),
      content: z.optional(content),
    }),
  ]),
  'A message of a conversation.',
)

export const declaredFunction = z.looseObject({
  name: must(z.string().check(z.regex(functionName)), 'No other function has it.'),
  description: z.optional(z.string()),
  parameters: may(jsonSchema, 'A JSON Schema.'),
  strict: z.optional(z.boolean()),
})

export const ownSchema = {
  name: filledText,
  schema: must(jsonSchema, 'A JSON Schema.'),
  strict: z.optional(z.boolean()),
}

const request = named(
  'ChatRequest',
  constrain(
    z.looseObject({
      model: must(modelName, 'The name of the model.', 'sim-text-1'),
      messages: z.array(message).check(z.minLength(1)),
      stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
      stream_options: may(z.looseObject({ include_usage: z.optional(z.boolean()) }), 'Only with `stream`.'),
      ...samplingFields,
      max_tokens: z.optional(integers(1, maxTokens)),
      max_completion_tokens: z.optional(integers(1, maxTokens)),
      n: z.optional(integers(1, maxAnswers)),
      stop: z.optional(z.union([z.string(), z.array(filledText).check(z.maxLength(maxStops))])),
      seed: z.optional(range(-maxSeed, maxSeed)),
      logprobs: z.optional(z.boolean()),
      top_logprobs: may(integers(0, 20), 'Only with `logprobs`.'),
      tools: z.optional(
        z
          .array(z.looseObject({ type: z.literal('function'), function: declaredFunction }))
          .check(z.maxLength(maxTools)),
      ),
      tool_choice: z.optional(
        z.union([
          z.enum(['none', 'auto', 'required']),
          z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
          z.looseObject({
            type: z.literal('allowed_tools'),
            allowed_tools: z.looseObject({
              mode: z.optional(z.enum(['auto', 'required'])),
              tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })),
            }),
          }),
        ]),
      ),
      parallel_tool_calls: z.optional(z.boolean()),
      functions: may(
        z.array(declaredFunction).check(z.maxLength(maxTools)),
        'The older form of `tools`, which come first.',
      ),
      function_call: z.optional(z.union([z.enum(['none', 'auto']), z.looseObject({ name: z.string() })])),
      response_format: may(
        z.union([
          z.looseObject({ type: z.enum(['text', 'json_object']) }),
          z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject(ownSchema) }),
        ]),
        'The form of the answer: text, JSON, or JSON of a schema.',
      ),
      reasoning_effort: may(z.enum(effortNames as [string, ...string[]]), 'How long it thinks.'),
    }),
    { dependentSchemas: { stream_options: isTrue('stream'), top_logprobs: isTrue('logprobs') } },
  ),
  'A request for a chat completion. A field that is null counts as missing.',
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

export const chatSchemas: ApiSchema<NamesOf<[typeof chatApi]>> = {
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
