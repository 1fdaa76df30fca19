import type * as z from 'zod/mini'
import type { Form } from '../define/form.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { defaultDimensions } from '../../text/write/embed.ts'
import type { Core } from '../../gateway/core.ts'
import { embeddingBehaviour, type Embedding, type EmbeddingInput } from '../text/embedding.ts'
import { readTexts } from './contents.ts'
import { embedBatchForm, embedForm, type EmbedBody } from './form.ts'
import { nativeHeaders, nativeJson } from '../text/native/refuse.ts'
import { defineNative, ofModel } from './native-operation.ts'
import { modelOf, upstreamWords } from '../text/native/request.ts'

/**
 * Embeds a text.
 * @assumed §4.7 embeddings are undocumented; wire §8.5.
 */
export const textEmbed = defineNative(
  {
    name: 'text.embed',
    summary: 'Embed a text',
    ...ofModel('read', 'embedContent'),
    form: embedForm,
  },
  embedding({
    form: embedForm,
    read: (body) => [toInput(body, 'content')],
    toBody: ([values]) => ({ embedding: { values } }),
    indent: 4,
  }),
)

/** Embeds several texts. */
export const textEmbedBatch = defineNative(
  {
    name: 'text.embed-batch',
    summary: 'Embed several texts',
    ...ofModel('read', 'batchEmbedContents'),
    form: embedBatchForm,
  },
  embedding({
    form: embedBatchForm,
    read: ({ requests }) => requests.map((each, index) => toInput(each, `requests[${index}].content`)),
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

interface EmbeddingForm<Schema extends z.ZodMiniType> {
  readonly form: Form<Schema>
  readonly read: (body: z.output<Schema>) => readonly EmbeddingInput[]
  readonly toBody: (vectors: readonly string[], tokens: number) => unknown
  /** How far the brackets of a vector are indented: there is one number a line, as the vendor writes them. */
  readonly indent: number
}

function embedding<Schema extends z.ZodMiniType>({ form, read, toBody, indent }: EmbeddingForm<Schema>) {
  const start = ' '.repeat(indent)
  return (core: Core) =>
    embeddingBehaviour(core, {
      form,
      modelOf,
      words: upstreamWords,
      read,
      encode: (values) => `[\n${start}  ${values.join(`,\n${start}  `)}\n${start}]`,
      write: (embeddings, tokens) => embeddingReply(embeddings, (vectors) => toBody(vectors, tokens)),
    })
}

/** @param path the place of the content. */
function toInput({ content, outputDimensionality: dimensions = defaultDimensions }: EmbedBody, path: string) {
  return { text: readTexts(content, path), dimensions }
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
