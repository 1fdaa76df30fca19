import type { Route } from '../../gateway/exchange.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { defaultDimensions, maxDimensions } from '../../text/write/embed.ts'
import type { ApiDeps } from '../operation.ts'
import {
  embeddingBehaviour,
  type Embedding,
  type EmbeddingInput,
  type PreparedEmbeddings,
} from '../text/embedding.ts'
import { Fields, guardFor, RequestRefused } from '../text/fields.ts'
import { readTexts } from './contents.ts'
import { nativeHeaders, nativeJson } from './models.ts'
import { defineNative, modelOf, upstreamWords } from './native-operation.ts'

export const maxBatch = 100

/**
 * An embedding.
 * @assumed §4.7 embeddings are undocumented; wire §8.5.
 */
export function textEmbed(deps: ApiDeps): Route {
  return defineEmbedding(
    'text.embed',
    deps,
    (fields) => [readOne(fields)],
    ([values]) => ({ embedding: { values } }),
  )
}

/** Several embeddings. */
export function textEmbedBatch(deps: ApiDeps): Route {
  return defineEmbedding('text.embed-batch', deps, readBatch, (all, tokens) => ({
    embeddings: all.map((values) => ({ values })),
    usageMetadata: {
      promptTokenCount: tokens,
      promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    },
  }))
}

function defineEmbedding(
  operation: 'text.embed' | 'text.embed-batch',
  deps: ApiDeps,
  read: (fields: Fields) => readonly EmbeddingInput[],
  toBody: (vectors: readonly string[], tokens: number) => unknown,
): Route {
  const guard = guardFor(deps.quirks, upstreamWords(400))
  // One number a line, as the vendor writes them.
  const indent = ' '.repeat(operation === 'text.embed' ? 4 : 6)
  const behaviour = embeddingBehaviour(deps.text.catalog, guard, {
    modelOf,
    read: (body) => read(new Fields(body as never, '')),
    encode: (values) => `[\n${indent}  ${values.join(`,\n${indent}  `)}\n${indent}]`,
    write: (embeddings, tokens) => embeddingReply(embeddings, (vectors) => toBody(vectors, tokens)),
  })
  return defineNative<PreparedEmbeddings, readonly EmbeddingInput[]>(operation, deps, behaviour)
}

function readBatch(fields: Fields): EmbeddingInput[] {
  const requests = fields.list('requests', maxBatch) ?? []
  if (requests.length === 0) throw new RequestRefused('requests is required', 'gateway')
  return requests.map((each, index) => readOne(new Fields(each, `requests[${index}]`)))
}

function readOne(fields: Fields): EmbeddingInput {
  const content = fields.within('content')
  if (!content) throw new RequestRefused(`${fields.at('content')} is required`, 'gateway')
  const dimensions = fields.wholeNumber('outputDimensionality', 1, maxDimensions) ?? defaultDimensions
  return { text: readTexts(content), dimensions }
}

/** Stands for a vector until the rest of the body is written; nothing else in a body can be equal to it. */
const placeholder = '[numbers]'

function embeddingReply(
  embeddings: readonly Embedding[],
  toBody: (vectors: readonly string[]) => unknown,
): Reply {
  const vectors = embeddings.map(() => placeholder)
  const [begin = '', ...rest] = nativeJson(toBody(vectors)).split(JSON.stringify(placeholder))
  const body = begin + rest.map((after, index) => embeddings[index]!.encoded + after).join('')
  return { status: 200, headers: nativeHeaders, body, delayMs: 0 }
}
