import * as z from 'zod/mini'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { maxTokens } from '../chat/request.ts'
import {
  anyObject,
  constrain,
  filledText,
  integer,
  integers,
  modelName,
  range,
  type ApiSchema,
} from '../define/operation-schema.ts'
import type { messagesApi } from './api.ts'
import { ignoredBlock, imageTypes } from './content.ts'
import { displays, effortNames, maxStops, minThinkingTokens, thinkingTypes } from './request.ts'
import { maxTools, toolName } from './tools.ts'

const textBlock = z.looseObject({ type: z.literal('text'), text: filledText })
const textOr = <Block extends z.ZodMiniType>(block: Block) => z.union([z.string(), z.array(block)])

const imageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.union([
    z.looseObject({
      type: z.literal('base64'),
      media_type: z.enum(imageTypes),
      data: must(filledText, 'An image in base64.'),
    }),
    z.looseObject({ type: z.literal('url'), url: z.string().check(z.regex(/^https?:\/\/\S+$/i)) }),
    z.looseObject({ type: z.literal('file') }),
  ]),
})

const contentSource = z.looseObject({
  type: z.literal('content'),
  content: textOr(z.union([textBlock, imageBlock])),
})

const documentBlock = z.looseObject({
  type: z.literal('document'),
  source: z.union([
    z.looseObject({ type: z.literal('text'), data: filledText }),
    contentSource,
    z.looseObject({ type: z.enum(['base64', 'url', 'file']), media_type: z.optional(z.string()) }),
  ]),
})

const searchResult = z.looseObject({
  type: z.literal('search_result'),
  title: filledText,
  content: textOr(textBlock),
})

const otherBlock = z.looseObject({ type: z.string().check(z.regex(ignoredBlock)) })

const plainBlocks = [textBlock, imageBlock, documentBlock, searchResult, otherBlock] as const

const thinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: must(z.string(), 'As the response had it.'),
})

const givenBlock = z.union([
  ...plainBlocks,
  thinkingBlock,
  z.looseObject({ type: z.literal('redacted_thinking') }),
  z.looseObject({ type: z.literal('tool_use'), id: filledText, name: filledText, input: anyObject }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: must(filledText, 'A use of a tool in the message before.'),
    content: z.optional(textOr(z.union(plainBlocks))),
  }),
])

const message = named(
  'InputMessage',
  z.union([
    z.looseObject({
      role: z.literal('user'),
      content: z.union([filledText, z.array(givenBlock).check(z.minLength(1))]),
    }),
    z.looseObject({
      role: z.literal('assistant'),
      content: must(textOr(givenBlock), 'Empty in the last message only.'),
    }),
    z.looseObject({ role: z.literal('system'), content: textOr(textBlock) }),
  ]),
  'A message of a conversation. A use of a tool has its result in the message after it.',
)

const tool = z.union([
  z.looseObject({
    type: z.optional(z.nullable(z.literal('custom'))),
    name: z.string().check(z.regex(toolName)),
    description: z.optional(z.string()),
    input_schema: must(z.looseObject({ type: z.literal('object') }), 'A JSON Schema of an object.'),
    strict: z.optional(z.boolean()),
  }),
  z.looseObject({
    type: constrain(filledText, { not: { const: 'custom' } }),
    name: z.optional(z.string()),
  }),
])

const schemaFormat = z.looseObject({ type: z.literal('json_schema'), schema: anyObject })

const thinkingTokens = integers(minThinkingTokens, maxTokens)
const display = z.optional(z.nullable(z.enum(displays)))

const promptFields = {
  model: must(modelName, 'The name of the model.', 'sim-text-1'),
  messages: z.array(message).check(z.minLength(1)),
  system: z.optional(textOr(textBlock)),
  tools: may(z.array(tool).check(z.maxLength(maxTools)), 'Only those with an `input_schema` are used.'),
  tool_choice: z.optional(
    z.looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: may(z.string(), 'Of a tool, with the type `tool`.'),
      disable_parallel_tool_use: z.optional(z.boolean()),
    }),
  ),
  thinking: z.optional(
    z.union([
      z.looseObject({
        type: z.literal('enabled'),
        budget_tokens: must(thinkingTokens, 'Less than `max_tokens`.', minThinkingTokens),
        display,
      }),
      z.looseObject({
        type: z.enum(thinkingTypes.filter((type) => type !== 'enabled')),
        budget_tokens: z.optional(z.nullable(thinkingTokens)),
        display,
      }),
    ]),
  ),
  output_config: z.optional(
    z.looseObject({
      effort: z.optional(z.nullable(z.enum(effortNames))),
      format: z.optional(z.nullable(schemaFormat)),
    }),
  ),
  thread: may(z.null(), 'Not offered.'),
  output_format: may(schemaFormat, 'The older place of `output_config.format`.'),
}

const request = named(
  'MessageRequest',
  z.looseObject({
    ...promptFields,
    max_tokens: must(integers(0, maxTokens), 'The maximum of tokens, thoughts included.', 1024),
    stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
    temperature: may(range(0, 1), 'Not in the version 2026-10-21, and neither are the next two.'),
    top_p: z.optional(range(0, 1)),
    top_k: z.optional(integers(0, maxTokens)),
    stop_sequences: z.optional(z.array(z.string().check(z.regex(/\S/))).check(z.maxLength(maxStops))),
  }),
  'A request for a message. A field that is null counts as missing.',
)

const countRequest = named('CountTokensRequest', z.looseObject(promptFields), 'A request to count tokens.')

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
      body: request,
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
