import * as z from 'zod/mini'
import type { embeddingsApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { maxDimensions } from '../../text/write/embed.ts'
import {
  filledText,
  gatewayError,
  integer,
  integers,
  modelName,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { maxInputs, maxInputTokens } from './create.ts'

const tokens = z
  .array(integers(0, Number.MAX_SAFE_INTEGER))
  .check(z.minLength(1), z.maxLength(maxInputTokens))

export const embeddingSchemas: ApiSchema<NamesOf<[typeof embeddingsApi]>> = {
  title: 'Embeddings',
  description: "OpenAI's Embeddings API.",
  error: gatewayError,
  operations: {
    'embeddings.create': {
      summary: 'Create embeddings',
      body: named(
        'EmbeddingRequest',
        z.looseObject({
          model: must(modelName, 'The name of the model.', 'sim-embedding-1'),
          input: must(
            z.union([
              filledText,
              tokens,
              z.array(z.union([filledText, tokens])).check(z.minLength(1), z.maxLength(maxInputs)),
            ]),
            'A text, a list of texts, the tokens of a text, or a list of those.',
          ),
          dimensions: may(integers(1, maxDimensions), 'The length of each vector.'),
          encoding_format: may(z.enum(['float', 'base64']), 'Default float.'),
        }),
        'A request for embeddings.',
      ),
      answer: {
        json: named(
          'EmbeddingList',
          z.object({
            object: z.literal('list'),
            data: z.array(
              z.object({
                object: z.literal('embedding'),
                index: integer,
                embedding: z.union([z.array(z.number()), z.string()]),
              }),
            ),
            model: z.string(),
            usage: z.object({ prompt_tokens: integer, total_tokens: integer }),
          }),
          'A vector for each input.',
        ),
      },
    },
  },
}
