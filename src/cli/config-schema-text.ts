import { z } from 'zod'
import { textPaces } from '../surfaces/text/settings.ts'

const paceNames = Object.keys(textPaces) as (keyof typeof textPaces)[]
const positive = z.number().int().positive()

/** How texts are answered. Durations are read as everywhere in the file. */
export function textSchema<Duration extends z.ZodType>(durationSpec: Duration) {
  return z.strictObject({
    mode: z.enum(['prose', 'echo']).optional(),
    pace: z
      .union([
        z.enum(paceNames),
        z.strictObject({
          firstToken: durationSpec.optional(),
          tokensPerSecond: z.number().positive().optional(),
          jitter: durationSpec.optional(),
          tokensPerChunk: positive.optional(),
        }),
      ])
      .optional(),
    answers: z.array(fixedAnswer).optional(),
  })
}

const finish = z.enum([
  'stop',
  'length',
  'tool_calls',
  'safety',
  'other',
  'blocklist',
  'prohibited_content',
  'recitation',
  'language',
  'spii',
])

const fixedAnswer = z.strictObject({
  model: z.string().optional(),
  prompt: z.string().optional(),
  text: z.string().optional(),
  json: z.unknown().optional(),
  calls: z.array(z.strictObject({ name: z.string(), args: z.record(z.string(), z.unknown()) })).optional(),
  thoughts: z.string().optional(),
  block: z.enum(['safety', 'other', 'blocklist', 'prohibited_content']).optional(),
  finish: finish.optional(),
})

const dollars = z.number().nonnegative().optional()

/** What models cost, in dollars. */
export const prices = z.array(
  z.strictObject({
    models: z.string().min(1),
    perTask: dollars,
    perSecond: dollars,
    input: dollars,
    output: dollars,
  }),
)

/** How many requests a key may make in a time. */
export function rate<Duration extends z.ZodType>(duration: Duration) {
  return z.strictObject({
    requests: positive,
    per: duration.optional(),
    retryAfter: z.boolean().optional(),
    headers: z.boolean().optional(),
  })
}
