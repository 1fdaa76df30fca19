import { textSettings } from '../text/settings.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { defaultDimensions, maxDimensions } from '../../text/write/embed.ts'
import type { ApiDeps, Behaviour } from '../define/operation.ts'
import {
  embeddingBehaviour,
  type Embedding,
  type EmbeddingInput,
  type PreparedEmbeddings,
} from '../text/embedding.ts'
import { Fields, guardFor, RequestRefused } from '../text/fields.ts'
import { readTexts } from './contents.ts'
import { nativeHeaders, nativeJson } from './models.ts'
import { defineNative, modelOf, ofModel, upstreamWords } from './native-operation.ts'

export const maxBatch = 100

/**
 * Embeds a text.
 * @assumed §4.7 embeddings are undocumented; wire §8.5.
 */
export const textEmbed = defineNative(
  { name: 'text.embed', ...ofModel('read', 'embedContent') },
  embedding({
    read: (fields) => [readOne(fields)],
    toBody: ([values]) => ({ embedding: { values } }),
    indent: 4,
  }),
)

/** Embeds several texts. */
export const textEmbedBatch = defineNative(
  { name: 'text.embed-batch', ...ofModel('read', 'batchEmbedContents') },
  embedding({
    read: readBatch,
    toBody: (all, tokens) => ({
      embeddings: all.map((values) => ({ values })),
      usageMetadata: {
        promptTokenCount: tokens,
        promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
      },
    }),
    indent: 6,
  }),
)

interface EmbeddingForm {
  readonly read: (fields: Fields) => readonly EmbeddingInput[]
  readonly toBody: (vectors: readonly string[], tokens: number) => unknown
  /** How far the brackets of a vector are indented: there is one number a line, as the vendor writes them. */
  readonly indent: number
}

function embedding({ read, toBody, indent }: EmbeddingForm) {
  const start = ' '.repeat(indent)
  return ({ use, quirks }: ApiDeps): Behaviour<PreparedEmbeddings, readonly EmbeddingInput[]> =>
    embeddingBehaviour(use(textSettings).catalog, guardFor(quirks, upstreamWords(400)), {
      modelOf,
      read: (body) => read(new Fields(body as never, '')),
      encode: (values) => `[\n${start}  ${values.join(`,\n${start}  `)}\n${start}]`,
      write: (embeddings, tokens) => embeddingReply(embeddings, (vectors) => toBody(vectors, tokens)),
    })
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

/** Replaces a vector while the rest of the body is written. Nothing else in a body can be equal to it. */
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
