import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named, refusing } from '../../scenario/schema/fields.ts'
import { maxDimensions } from '../../text/write/embed.ts'
import { defineForm } from '../define/form.ts'
import { modelName } from '../define/operation-schema.ts'
import { constrain, filledText, integers, withDefault } from '../../scenario/schema/json-values.ts'
import { show } from '../text/fields.ts'
import { byGateway, refuseMisfit } from '../text/refuse-misfit.ts'

/** The limits of the protocol's own service. */
export const maxInputs = 2_048
export const maxInputTokens = 8_192

const formsOfInput = 'a string, an array of strings, tokens, or an array of token arrays'
const formsOfItem = 'a string or tokens'

/**
 * Tokens of the client's vocabulary. They are checked together, because a request may have millions.
 * @param problem why a list is refused.
 */
function tokens(problem: (value: readonly unknown[]) => string | undefined) {
  const sentence = {
    error: ({ input }: z.core.$ZodRawIssue) => tooManyTokens('{field}', (input as []).length),
  }
  const list = z.array(z.number()).check(refusing(problem), z.maxLength(maxInputTokens, sentence))
  const items = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  return constrain(list, { items, minItems: 1 })
}

const item = once(() =>
  z.union(
    [filledText, tokens((value) => (areTokens(value) ? undefined : notEmbeddable(formsOfItem, value)))],
    { error: ({ input }) => notEmbeddable(formsOfItem, input) },
  ),
)
const items = once(() =>
  z.array(item()).check(
    z.minLength(1),
    z.maxLength(maxInputs, {
      error: ({ input }) =>
        `{field} has ${(input as []).length} items, at most ${maxInputs} are taken in one request`,
    }),
  ),
)
const alone = once(() =>
  tokens((value) =>
    areTokens(value) ? undefined : notEmbeddable(formsOfItem, value[0]).replace('{field}', '{field}[0]'),
  ),
)

/** A request for embeddings. */
export const embeddingForm = defineForm(
  () =>
    named(
      'EmbeddingRequest',
      z.object({
        model: must(modelName, 'The name of the model.', 'sim-embedding-1'),
        encoding_format: withDefault(z.enum(['float', 'base64']), 'float', 'How the numbers are written.'),
        dimensions: may(integers(1, maxDimensions), 'The length of each vector.'),
        input: must(
          z.union([filledText, items(), alone()], {
            error: ({ input }) =>
              input == null ? byGateway('input is empty') : notEmbeddable(formsOfInput, input),
          }),
          'A text, a list of texts, the tokens of a text, or a list of those.',
        ),
      }),
      'A request for embeddings.',
    ),
  refuseMisfit,
)

export type EmbeddingBody = z.output<typeof embeddingForm.schema>

/** The refusal of a text with too many tokens. @param path its place. */
export function tooManyTokens(path: string, count: number): string {
  return `${path} has ${count} tokens, at most ${maxInputTokens} are taken: split the text`
}

function areTokens(values: readonly unknown[]): boolean {
  return values.length > 0 && values.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)
}

function notEmbeddable(forms: string, value: unknown): string {
  const found = Array.isArray(value) && value.length === 0 ? 'an empty array' : show(value as never)
  return `{field} must be ${forms}, and not be empty; it is ${found}`
}
