import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  effortNames,
  functionFields,
  maxTools,
  namedSchema,
  samplingFields,
  tokenLimit,
} from '../text/openai/shared-form.ts'
import { defineForm } from '../define/form.ts'
import { modelName } from '../define/operation-schema.ts'
import {
  constrain,
  filledText,
  integers,
  jsonSchema,
  withDefault,
} from '../../scenario/schema/json-values.ts'
import { byGateway, ifMissing, refuseMisfit } from '../text/refuse-misfit.ts'
import { givenItem } from './item-form.ts'

/** The minimum of the protocol's own service. */
const minMaxTokens = 16

const tool = once(() =>
  z.union([
    z.object({ type: z.literal('function'), ...functionFields() }),
    z.object({
      type: constrain(z.string({ error: ifMissing('{holder} must be {"type": "function", "name": …}') }), {
        not: { const: 'function' },
      }),
    }),
  ]),
)

const noName = 'tool_choice names "", which tools don\'t declare'
const chosen = once(() => z.object({ name: z.string({ error: ifMissing(noName) }) }))

/** A tool of the service itself, which is never called. */
const otherType = once(() => constrain(z.unknown(), { not: { enum: ['function', 'allowed_tools'] } }))

const toolChoice = once(() =>
  z.union(
    [
      z.enum(['none', 'auto', 'required']),
      z.extend(chosen(), { type: z.literal('function') }),
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.optional(z.enum(['auto', 'required'])),
        tools: z.optional(z.array(chosen()).check(z.maxLength(maxTools))),
      }),
      z.object({
        type: z.optional(
          z.pipe(
            otherType(),
            z.transform((): undefined => undefined),
          ),
        ),
      }),
    ],
    'tool_choice must be "none", "auto", "required" or a function, not {value}',
  ),
)

const noFormat =
  'text.format must be {"type": "text"}, {"type": "json_object"} or ' +
  '{"type": "json_schema", "name": …, "schema": {…}}'

const format = once(() =>
  z.union([
    z.object({ type: z.literal('text', { error: ifMissing(noFormat) }) }),
    // Other services of this protocol accept a schema here, too.
    z.object({
      type: z.literal('json_object'),
      name: z.optional(z.string()),
      schema: may(jsonSchema, 'A JSON Schema.'),
      strict: z.optional(z.boolean()),
    }),
    z.object({ type: z.literal('json_schema'), ...namedSchema(noFormat) }),
  ]),
)

const repeated = once(() => may(z.unknown(), 'Without effect. The response repeats it.'))

const summary = once(() => z.nullable(z.enum(['auto', 'concise', 'detailed'])))

/**
 * A request for a response. Refuses parameters that would not have the expected effect.
 * @assumed §4.9 the request for a response is undocumented; its fields are those of the protocol's own service.
 */
export const responseForm = defineForm(
  () =>
    named(
      'ResponseRequest',
      z.object({
        background: may(
          z.literal(false, {
            error: ({ input }) =>
              input === true
                ? 'background responses are not offered: leave background out and wait for the response'
                : 'field {field} must be a boolean, not {value}',
          }),
          'Not offered.',
        ),
        conversation: may(z.null('conversations are not offered: use previous_response_id'), 'Not offered.'),
        prompt: may(
          z.null('stored prompts are not offered: send the text as instructions and input'),
          'Not offered.',
        ),
        model: must(modelName, 'The name of the model.', 'sim-text-1'),
        input: must(
          z.union([z.string(), z.array(givenItem())], {
            error: ({ input }) =>
              (input ?? undefined) === undefined
                ? byGateway('input is required')
                : 'input must be a string or an array of items, not {value}',
          }),
          'A text, or items of a conversation. One of them, or of the previous response, is no instruction.',
        ),
        ...samplingFields(),
        instructions: z.optional(z.nullable(z.string())),
        include: z.optional(z.array(filledText).check(z.maxLength(50))),
        top_logprobs: z.optional(integers(0, 20)),
        max_output_tokens: z.optional(z.nullable(tokenLimit(minMaxTokens))),
        tools: may(z.array(tool()).check(z.maxLength(maxTools)), 'Only functions are called.'),
        parallel_tool_calls: withDefault(z.boolean(), true, 'Whether an answer may call several tools.'),
        tool_choice: z.optional(toolChoice()),
        text: may(
          z.object({ format: z.optional(format()), verbosity: repeated() }),
          'The form of the answer.',
        ),
        reasoning: z.optional(
          z.nullable(
            z.object({
              effort: z.optional(z.nullable(z.enum(effortNames))),
              summary: z.optional(summary()),
              generate_summary: may(summary(), 'The older name of `summary`.'),
            }),
          ),
        ),
        stream: withDefault(z.boolean(), false, 'Whether the answer comes as server-sent events.'),
        store: withDefault(z.boolean(), true, 'Whether it can be retrieved later.'),
        previous_response_id: z.optional(z.nullable(z.string())),
        max_tool_calls: repeated(),
        metadata: repeated(),
        prompt_cache_key: repeated(),
        safety_identifier: repeated(),
        truncation: repeated(),
        user: repeated(),
      }),
      'A request for a response. A field that is null counts as missing.',
    ),
  refuseMisfit,
)

export type ResponseBody = z.output<typeof responseForm.schema>
