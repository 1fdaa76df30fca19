import { runAtOnce, runInTurns, type Steps } from '../../engine/clock/timers/steps.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange, PreparedBody, Route } from '../../gateway/exchange.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { countTokens } from '../../text/tokens.ts'
import { defaultDimensions, embedInSteps, maxDimensions } from '../../text/write/embed.ts'
import { requireModel } from '../models/catalog.ts'
import type { ApiDeps } from '../operation.ts'
import { chargeTokens } from '../text/answer.ts'
import { Fields, guardFor, refuseAbove, RequestRefused } from '../text/fields.ts'
import { readTexts } from './contents.ts'
import { nativeHeaders } from './models.ts'
import { defineNative, modelOf, upstreamWords } from './native-operation.ts'

export const maxBatch = 100

/** Embedding reads every letter more than once. */
export const maxEmbeddedCharacters = 1_000_000

/** A text, and in how many dimensions to embed it. */
interface EmbeddingInput {
  readonly text: string
  readonly dimensions: number
}

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

/** A text's tokens, and the numbers of its vector as JSON. */
interface Embedding {
  readonly tokens: number
  readonly numbers: readonly string[]
}

/** Embeddings that take long, made before the request is decided. */
type Prepared = readonly Embedding[] | undefined

function defineEmbedding(
  operation: 'text.embed' | 'text.embed-batch',
  deps: ApiDeps,
  read: (fields: Fields) => readonly EmbeddingInput[],
  toBody: (vectors: readonly string[], tokens: number) => unknown,
): Route {
  const guard = guardFor(deps.quirks, upstreamWords(400))
  const readBody = (body: JsonObject): readonly EmbeddingInput[] => {
    const inputs = read(new Fields(body as never, ''))
    refuseAbove(charactersOf(inputs), maxEmbeddedCharacters)
    return inputs
  }
  return defineNative<Prepared, readonly EmbeddingInput[]>(operation, deps, {
    prepare: (body) => prepareEmbeddings(body, readBody),
    parse: (x) => {
      requireModel(deps.text.catalog, modelOf(x), 'embedding')
      return guard(() => readBody(x.body))
    },
    respond: (x, inputs) => {
      const embeddings = x.prepared ?? runAtOnce(embed(inputs))
      return embeddingReply(embeddings, x, toBody)
    },
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

/** Requests with fewer characters and numbers are embedded without waiting. */
const maxCharactersAtOnce = 10_000
const maxNumbersAtOnce = 10_000

/** Embeds many or long texts in steps. Bad requests are refused later. */
function prepareEmbeddings(
  body: JsonObject,
  read: (body: JsonObject) => readonly EmbeddingInput[],
): MaybePromise<PreparedBody<Prepared>> {
  try {
    const inputs = read(body)
    const numbers = inputs.reduce((sum, { dimensions }) => sum + dimensions, 0)
    if (charactersOf(inputs) > maxCharactersAtOnce || numbers > maxNumbersAtOnce) {
      return runInTurns(embed(inputs)).then((prepared) => ({ prepared, fields: body }))
    }
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
  }
  return { prepared: undefined, fields: body }
}

function* embed(inputs: readonly EmbeddingInput[]): Steps<Embedding[]> {
  const embeddings: Embedding[] = []
  for (const { text, dimensions } of inputs) {
    const tokens = countTokens(text)
    yield
    const values = yield* embedInSteps(text, dimensions)
    embeddings.push({ tokens, numbers: values.map(String) })
    yield
  }
  return embeddings
}

/** Stands for a vector until the rest of the body is written; nothing else in a body can be equal to it. */
const placeholder = '[numbers]'

function embeddingReply(
  embeddings: readonly Embedding[],
  x: Exchange,
  toBody: (vectors: readonly string[], tokens: number) => unknown,
): Reply {
  const input = embeddings.reduce((sum, { tokens }) => sum + tokens, 0)
  chargeTokens(x, modelOf(x), { input, output: 0 })
  const vectors = embeddings.map(() => placeholder)
  const parts = JSON.stringify(toBody(vectors, input), null, 2).split(JSON.stringify(placeholder))
  let body = parts[0]!
  for (const [index, { numbers }] of embeddings.entries()) {
    const indent = /\n( *)[^\n]*$/.exec(parts[index]!)![1]!
    body += `[\n${indent}  ${numbers.join(`,\n${indent}  `)}\n${indent}]${parts[index + 1]!}`
  }
  return { status: 200, headers: nativeHeaders, body: `${body}\n`, delayMs: 0 }
}

function charactersOf(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce((sum, { text }) => sum + text.length, 0)
}
