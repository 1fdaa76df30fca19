import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { parseObject } from '../../../gateway/bodies/json.ts'
import { may, must } from '../../../scenario/schema/fields.ts'
import { jsonSchema, noSchema, range } from '../../../scenario/schema/json-values.ts'
import { byGateway, ifMissing, ifNoText } from '../refuse-misfit.ts'

/** Fields that requests for chats and for responses share. */

export const maxTokens = 2 ** 30 - 1
export const maxTools = 128
const functionName = /^[A-Za-z0-9_.-]{1,128}$/

/** The number of thought tokens for each effort. */
const efforts = { none: 0, minimal: 32, low: 128, medium: 512, high: 2048, xhigh: 4096, max: 8192 } as const

export const effortNames = Object.keys(efforts) as (keyof typeof efforts)[]

export function tokensOfEffort(effort: (typeof effortNames)[number]): number {
  return efforts[effort]
}

/** Sampling parameters, which have no effect here. */
export const samplingFields = once(() => ({
  temperature: z.optional(range(0, 2)),
  top_p: z.optional(range(0, 1)),
  presence_penalty: z.optional(range(-2, 2)),
  frequency_penalty: z.optional(range(-2, 2)),
}))

/** A maximum number of tokens. The gateway itself refuses one that is too high, with a sentence. */
export function tokenLimit(min: number, sentence = 'max_tokens is invalid'): z.ZodMiniNumber {
  const isTooHigh = (input: unknown): boolean => typeof input === 'number' && input > maxTokens
  const tooHigh = byGateway(sentence)
  return z
    .number({ error: ({ input }) => (isTooHigh(input) ? tooHigh : undefined) })
    .check(z.multipleOf(1), z.minimum(min), z.maximum(maxTokens))
}

/** The fields of a declared function. */
export const functionFields = once(() => ({
  name: must(
    z
      .string({
        error: ifNoText(
          '{field} is {value}: a function\'s name has 1 to 128 letters, digits, "_", "." or "-"',
        ),
      })
      .check(z.regex(functionName)),
    'No other function has it.',
  ),
  description: z.optional(z.string()),
  parameters: may(jsonSchema, 'A JSON Schema.'),
  strict: z.optional(z.boolean()),
}))

export type DeclaredFunction = z.output<z.ZodMiniObject<ReturnType<typeof functionFields>>>

/** The fields of a schema for answers. @param sentence the refusal if the name or the schema is missing. */
export function namedSchema(sentence: string) {
  return {
    name: must(z.string({ error: ifNoText(sentence) }).check(z.minLength(1)), 'Of the schema.'),
    schema: must(
      z.union(jsonSchema.def.options, { error: (issue) => ifMissing(sentence)(issue) ?? noSchema }),
      'A JSON Schema.',
    ),
    strict: z.optional(z.boolean()),
  }
}

/** The place of an image. It is checked after it was decoded. */
export const imageUrl = once(() =>
  must(
    z.union([z.object({ url: z.string('{holder} must be {"url": …}') }), z.string()], {
      error: '{field} must be {"url": …}',
    }),
    'A data URL or an http(s) URL.',
  ),
)

/** The arguments of a call: a JSON object, written as a text. */
export const writtenArguments = once(() =>
  may(
    z.pipe(
      z.string(),
      z.transform((text, { issues }) => {
        const values = parseObject(text || '{}')
        const message = '{field} must be a JSON object, written as a string'
        if (!values) issues.push({ code: 'custom', message, input: text })
        return values ?? {}
      }),
    ),
    'A JSON object, written as a text.',
    '{}',
  ),
)
