import * as z from 'zod/mini'
import { Refused } from '../jobs/kit/refused.ts'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { maxTokens } from '../text/openai/shared-form.ts'
import { defineForm } from '../define/form.ts'
import type { Misfit } from '../define/form.ts'
import { modelName } from '../define/operation-schema.ts'
import { anyObject, constrain, filledText, integers, range } from '../../scenario/schema/json-values.ts'
import { byGateway, isMissing, refuseMisfit } from '../text/refuse-misfit.ts'
import { blockOf, cacheControl, message, textBlock, textOr } from './content-form.ts'
import { refuseThread } from '../text/anthropic/refuse.ts'

const minThinkingTokens = 1_024

const toolName = /^[a-zA-Z0-9_-]{1,128}$/

const tool = once(() =>
  z.union([
    blockOf({
      type: z.optional(z.nullable(z.literal('custom'))),
      name: z
        .string()
        .check(
          z.minLength(1),
          z.regex(toolName, `{field}: String should match pattern '${toolName.source}', not {value}`),
        ),
      description: z.optional(z.string()),
      input_schema: must(
        z.looseObject({ type: z.literal('object', "{field}: Input should be 'object', not {value}") }),
        'A JSON Schema of an object.',
      ),
      strict: z.optional(z.boolean()),
    }),
    blockOf({
      type: constrain(filledText, { not: { const: 'custom' } }),
      name: z.optional(z.string()),
    }),
  ]),
)

const schemaFormat = once(() =>
  z.object({
    type: z.literal('json_schema', {
      error: ({ input }) => {
        if (input === '') return '{field}: Field required'
        return typeof input === 'string' ? "{field}: Input should be 'json_schema'" : undefined
      },
    }),
    schema: anyObject,
  }),
)

const thinkingTokens = once(() => integers(minThinkingTokens, maxTokens))
const display = once(() => z.optional(z.nullable(z.enum(['summarized', 'omitted']))))

const promptFields = once(() => ({
  thread: may(z.null(), 'Not offered.'),
  model: must(modelName, 'The name of the model.', 'sim-text-1'),
  messages: z
    .array(
      named(
        'InputMessage',
        message(),
        'A message of a conversation. A use of a tool has its result in the message after it.',
      ),
      {
        error: ({ input }) =>
          (input ?? undefined) === undefined
            ? byGateway('{field}: Field required')
            : '{field}: Input should be an array, not {value}',
      },
    )
    .check(z.minLength(1, byGateway('{field}: at least one message is required'))),
  system: z.optional(textOr(textBlock())),
  tools: may(z.array(tool()).check(z.maxLength(512)), 'Only those with an `input_schema` are used.'),
  tool_choice: z.optional(
    z.object({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: may(z.string(), 'Of a tool, with the type `tool`.'),
      disable_parallel_tool_use: z.optional(z.boolean()),
    }),
  ),
  thinking: z.optional(
    z.union([
      z.object({
        type: z.literal('enabled'),
        budget_tokens: must(thinkingTokens(), 'Less than `max_tokens`.', minThinkingTokens),
        display: display(),
      }),
      z.object({
        type: z.enum(['adaptive', 'disabled', 'between_tools']),
        budget_tokens: z.optional(z.nullable(thinkingTokens())),
        display: display(),
      }),
    ]),
  ),
  output_config: z.optional(
    z.object({
      effort: z.optional(z.nullable(z.enum(['low', 'medium', 'high', 'xhigh', 'max']))),
      format: z.optional(z.nullable(schemaFormat())),
    }),
  ),
  output_format: may(schemaFormat(), 'The older place of `output_config.format`.'),
  cache_control: may(cacheControl(), 'Nothing is cached.'),
}))

const ignored = once(() => may(z.unknown(), 'Without effect.'))

/** Fields of the vendor's SDK that change nothing here; `metadata` and samplings change nothing that clients can see. */
export const withoutEffect = once(() => ({
  cache_control: promptFields().cache_control,
  container: ignored(),
  context_management: ignored(),
  diagnostics: ignored(),
  fallbacks: ignored(),
  inference_geo: may(z.string(), 'Without effect.'),
  mcp_servers: ignored(),
  service_tier: may(z.enum(['auto', 'standard_only']), 'Without effect.'),
  speed: ignored(),
}))

const samplingFields = once(() => ({
  temperature: may(range(0, 1), 'Anthropic takes it, and the next two, in versions before 2026-10-21 only.'),
  top_p: z.optional(range(0, 1)),
  top_k: z.optional(integers(0, maxTokens)),
}))

const noStop = 'field {field} must be a string that is not empty, not {value}'
const stop = once(() =>
  z
    .string(noStop)
    .check(z.minLength(1, noStop), z.regex(/\S/, '{field}: each stop sequence must contain non-whitespace')),
)

/** A request for a message. */
export const messageForm = defineForm(
  () =>
    named(
      'MessageRequest',
      z.object({
        ...promptFields(),
        max_tokens: must(integers(0, maxTokens), 'The maximum of tokens, thoughts included.', 1024),
        stream: may(z.boolean(), 'Whether the answer comes as server-sent events.'),
        ...samplingFields(),
        metadata: z.optional(z.object({ user_id: z.optional(z.nullable(z.string())) })),
        ...withoutEffect(),
        stop_sequences: z.optional(z.array(stop()).check(z.maxLength(1_000))),
      }),
      'A request for a message. A field that is null counts as missing.',
    ),
  refuse,
  { hasDottedPaths: true },
)

/** What counts as input: all but limits, sampling and how the answer is sent. */
export const countForm = defineForm(
  () => named('CountTokensRequest', z.object(promptFields()), 'A request to count tokens.'),
  refuse,
  { hasDottedPaths: true },
)

export type MessageBody = z.output<typeof messageForm.schema>
export type PromptBody = z.output<typeof countForm.schema>

/** Says why a value does not fit, in the words of the vendor's own service. */
function refuse(misfit: Misfit): Error {
  const { field, value, issue, sentence } = misfit
  if (field === 'thread') return refuseThread()
  const isEmpty = value === '' && issue.code === 'too_small'
  if (sentence === undefined && (isMissing(misfit) || isEmpty)) return new Refused(`${field}: Field required`)
  return refuseMisfit(misfit)
}
