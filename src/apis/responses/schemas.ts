import * as z from 'zod/mini'
import type { responsesApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { effortNames, maxTokens } from '../chat/request.ts'
import { declaredFunction, ownSchema, samplingFields } from '../chat/schemas.ts'
import { maxTools } from '../chat/tools.ts'
import {
  anyObject,
  constrain,
  filledText,
  gatewayError,
  integer,
  integers,
  modelName,
  pageQuery,
  unixSeconds,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { ignored, roles, textTypes } from './items.ts'
import { maxIncludes, minMaxTokens, summaries } from './request.ts'

const givenPart = z.union([
  z.looseObject({ type: z.enum(textTypes.filter((type) => type !== 'refusal')), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: may(
      z.union([z.looseObject({ url: z.string() }), z.string()]),
      'A data URL or an http(s) URL.',
    ),
  }),
  z.looseObject({ type: z.enum(['input_file', 'input_audio']) }),
])

const content = z.union([z.string(), z.array(givenPart)])

const givenItem = named(
  'GivenItem',
  z.union([
    z.looseObject({ type: z.optional(z.literal('message')), role: z.enum(roles), content }),
    z.looseObject({
      type: z.literal('function_call'),
      name: filledText,
      call_id: filledText,
      arguments: may(z.string(), 'A JSON object, written as a text.', '{}'),
    }),
    z.looseObject({ type: z.literal('function_call_output'), call_id: filledText, output: content }),
    z.looseObject({ type: z.literal('item_reference'), id: z.string() }),
    z.looseObject({ type: z.string().check(z.regex(ignored)) }),
  ]),
  'An item of a conversation. A call of a function has its output after it. Other items of the service are not read.',
)

const toolName = z.looseObject({ type: z.literal('function'), name: z.string() })
const otherType = constrain(z.string(), { not: { enum: ['function', 'allowed_tools'] } })

const request = named(
  'ResponseRequest',
  z.looseObject({
    model: must(modelName, 'The name of the model.', 'sim-text-1'),
    input: must(
      z.union([z.string(), z.array(givenItem)]),
      'A text, or items of a conversation. One of them, or of the previous response, is no instruction.',
    ),
    instructions: z.optional(z.nullable(z.string())),
    stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
    store: may(z.boolean(), 'Whether it can be retrieved later. Default true.'),
    background: may(z.literal(false), 'Not offered.'),
    conversation: may(z.null(), 'Not offered.'),
    prompt: may(z.null(), 'Not offered.'),
    previous_response_id: z.optional(z.nullable(z.string())),
    ...samplingFields,
    max_output_tokens: z.optional(z.nullable(integers(minMaxTokens, maxTokens))),
    top_logprobs: z.optional(integers(0, 20)),
    include: z.optional(z.array(filledText).check(z.maxLength(maxIncludes))),
    tools: may(
      z
        .array(
          z.union([
            z.extend(declaredFunction, { type: z.literal('function') }),
            z.looseObject({ type: constrain(z.string(), { not: { const: 'function' } }) }),
          ]),
        )
        .check(z.maxLength(maxTools)),
      'Only functions are called.',
    ),
    tool_choice: z.optional(
      z.union([
        z.enum(['none', 'auto', 'required']),
        toolName,
        z.looseObject({
          type: z.literal('allowed_tools'),
          mode: z.optional(z.enum(['auto', 'required'])),
          tools: z.array(z.looseObject({ name: z.string() })),
        }),
        z.looseObject({ type: z.optional(otherType) }),
      ]),
    ),
    parallel_tool_calls: z.optional(z.boolean()),
    text: may(
      z.looseObject({
        format: z.optional(
          z.union([
            z.looseObject({ type: z.enum(['text', 'json_object']) }),
            z.looseObject({ type: z.literal('json_schema'), ...ownSchema }),
          ]),
        ),
      }),
      'The form of the answer.',
    ),
    reasoning: z.optional(
      z.nullable(
        z.looseObject({
          effort: z.optional(z.nullable(z.enum(effortNames as [string, ...string[]]))),
          summary: z.optional(z.nullable(z.enum(summaries))),
          generate_summary: may(z.nullable(z.enum(summaries)), 'The older name of `summary`.'),
        }),
      ),
    ),
    metadata: may(z.unknown(), 'The response repeats it.'),
  }),
  'A request for a response. A field that is null counts as missing.',
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

export const responseSchemas: ApiSchema<NamesOf<[typeof responsesApi]>> = {
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
