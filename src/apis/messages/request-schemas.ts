import * as z from 'zod/mini'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { maxTokens } from '../chat/request.ts'
import { anyObject, constrain, filledText, integers, modelName, range } from '../define/operation-schema.ts'
import { ignoredBlock, imageTypes } from './content.ts'
import { displays, effortNames, maxStops, minThinkingTokens, thinkingTypes } from './request.ts'
import { choices, maxTools, toolName } from './tools.ts'

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
      type: z.enum(choices),
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

export const messageRequest = named(
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

export const countRequest = named(
  'CountTokensRequest',
  z.looseObject(promptFields),
  'A request to count tokens.',
)
