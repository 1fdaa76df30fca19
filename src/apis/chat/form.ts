import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { modelName } from '../define/operation-schema.ts'
import {
  constrain,
  filledText,
  integers,
  isTrue,
  range,
  jsonSchema,
  withDefault,
} from '../../scenario/schema/json-values.ts'
import { byGateway, ifMissing, refuseMisfit } from '../text/refuse-misfit.ts'
import { chatMessage } from './message-form.ts'
import {
  effortNames,
  functionFields,
  maxTokens,
  maxTools,
  namedSchema,
  samplingFields,
  tokenLimit,
} from '../text/openai/shared-form.ts'

const maxStops = 5
/** A signed 64-bit integer in the vendor's API. */
const maxSeed = 2 ** 63
export const maxAnswers = 128

const noMessages = byGateway('field messages is required')
const noStop = 'field stop must be a string or an array of strings, not {value}'
const noTool = '{holder} must be {"type": "function", "function": {…}}'
const noFormat =
  'response_format must be {"type": "text"}, {"type": "json_object"} or ' +
  '{"type": "json_schema", "json_schema": {"name": …, "schema": {…}}}'
const choices = ['none', 'auto', 'required'] as const
const noChoice = 'must be "none", "auto", "required" or a function, not'

const declaredFunction = once(() => z.object(functionFields()))
const tool = once(() =>
  z.object({
    type: z.literal('function', {
      error: ({ input }) =>
        typeof input === 'string' || input == null ? noTool : 'field {field} must be a string, not {value}',
    }),
    function: z.object(functionFields(), { error: ifMissing(noTool) }),
  }),
)
const namedFunction = once(() => z.object({ name: z.string() }))

const toolChoice = once(() =>
  z.union(
    [
      z.enum(choices),
      z.object({
        type: z.literal('function', `{holder} ${noChoice} an object`),
        function: namedFunction(),
      }),
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object({
          mode: withDefault(z.enum(['auto', 'required']), 'auto', 'Whether one must be called.'),
          tools: z.array(z.object({ function: namedFunction() })).check(z.maxLength(maxTools)),
        }),
      }),
    ],
    `{field} ${noChoice} {value}`,
  ),
)

const functionChoice = once(() =>
  z.union(
    [z.enum(choices), z.object({ name: z.string({ error: ifMissing(`{holder} ${noChoice} an object`) }) })],
    `{field} ${noChoice} {value}`,
  ),
)

const responseFormat = once(() =>
  z.union([
    z.object({ type: z.literal('text', { error: ifMissing(noFormat) }) }),
    // Other services of this protocol accept a schema here, too.
    z.object({
      type: z.literal('json_object'),
      schema: may(jsonSchema, 'A JSON Schema.'),
      name: z.optional(z.string()),
      strict: z.optional(z.boolean()),
    }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object(namedSchema(noFormat), { error: ifMissing(noFormat) }),
    }),
  ]),
)

/** Native settings that the gateway passes on. */
const nativeSettings = once(() =>
  z.object({
    google: z.optional(
      z.object({
        thinking_config: z.optional(
          z.object({
            thinking_budget: z.optional(integers(-1, maxTokens)),
            include_thoughts: z.optional(z.boolean()),
          }),
        ),
      }),
    ),
  }),
)

/**
 * A request for a chat completion.
 * @assumed §4.9 path and payload are undocumented; wire §9.1.
 */
export const chatForm = defineForm(
  () =>
    named(
      'ChatRequest',
      constrain(
        z.object({
          model: must(modelName, 'The name of the model.', 'sim-text-1'),
          messages: z
            .array(chatMessage(), {
              error: ({ input }) => (input == null ? noMessages : 'messages must be an array, not {value}'),
            })
            .check(z.minLength(1, noMessages)),
          stream: withDefault(z.boolean(), false, 'Whether the answer comes as server-sent events.'),
          stream_options: may(z.object({ include_usage: z.optional(z.boolean()) }), 'Only with `stream`.'),
          ...samplingFields(),
          max_completion_tokens: z.optional(tokenLimit(1)),
          max_tokens: z.optional(tokenLimit(1)),
          logprobs: withDefault(
            z.boolean(),
            false,
            'Whether the answer has the probabilities of its tokens.',
          ),
          top_logprobs: may(integers(0, 20), 'Only with `logprobs`.'),
          response_format: may(responseFormat(), 'The form of the answer: text, JSON, or JSON of a schema.'),
          tools: z.optional(z.array(tool()).check(z.maxLength(maxTools))),
          parallel_tool_calls: withDefault(z.boolean(), true, 'Whether an answer may call several tools.'),
          tool_choice: z.optional(toolChoice()),
          functions: may(
            z.array(declaredFunction()).check(z.maxLength(maxTools)),
            'The older form of `tools`, which come first.',
          ),
          function_call: z.optional(functionChoice()),
          stop: z.optional(
            z.union([z.string(), z.array(filledText).check(z.maxLength(maxStops))], {
              error: ({ input }) => (Array.isArray(input) ? undefined : noStop),
            }),
          ),
          n: withDefault(integers(1, maxAnswers), 1, 'How many answers.'),
          reasoning_effort: may(z.enum(effortNames), 'How long it thinks.'),
          extra_body: may(nativeSettings(), 'Settings of the native API, which `reasoning_effort` precedes.'),
          seed: z.optional(range(-maxSeed, maxSeed)),
        }),
        { dependentSchemas: { stream_options: isTrue('stream'), top_logprobs: isTrue('logprobs') } },
      ),
      'A request for a chat completion. A field that is null counts as missing.',
    ),
  refuseMisfit,
)

export type ChatBody = z.output<typeof chatForm.schema>
