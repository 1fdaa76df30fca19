import * as z from 'zod/mini'
import type { embeddingOperations } from '../../engine/operations/text.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { gatewayError, integer, type ApiSchema } from '../operation-schema.ts'

export const embeddingSchemas: ApiSchema<keyof typeof embeddingOperations> = {
  title: 'Embeddings',
  description: "OpenAI's Embeddings API.",
  error: gatewayError,
  operations: {
    'embeddings.create': {
      summary: 'Create embeddings',
      body: named(
        'EmbeddingRequest',
        z.looseObject({
          model: must(z.string(), 'The name of the model.', 'sim-embedding-1'),
          input: must(
            z.union([z.string(), z.array(z.union([z.string(), integer, z.array(integer)]))]),
            'A text, a list of texts, the tokens of a text, or a list of those.',
          ),
          dimensions: may(integer.check(z.minimum(1), z.maximum(3072)), 'The length of each vector.'),
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
