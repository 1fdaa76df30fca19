import { runAtOnce, runInTurns, type Steps } from '../../engine/clock/timers/steps.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import type { Context, PreparedBody, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { defaultDimensions, embedInSteps, maxDimensions } from '../../text/write/embed.ts'
import { countTokens } from '../../text/tokens.ts'
import { requireModel } from '../models/catalog.ts'
import { Fields } from '../text/fields.ts'
import { payForTokens } from '../text/pay.ts'
import { readingFor, RequestRefused } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { readTexts } from './contents.ts'
import { modelOf } from './describe.ts'
import { indented } from './indented.ts'
import { nativeHeaders } from './native-reply.ts'
import { nativeRoute, upstreamWords } from './native-route.ts'
import { refuseAbove } from '../text/length.ts'

export const maxConcurrent = 100

/** Embedding looks at every letter more than once. */
export const maxEmbeddedCharacters = 1_000_000

/** What is to be embedded, and in how many dimensions. */
interface Embedded {
  readonly text: string
  readonly dimensions: number
}

/**
 * Embeddings, one or many at once.
 * @assumed §4.7 embeddings are not shown; wire §8.5.
 */
export function embedRoutes(settings: TextSurfaceSettings): Route[] {
  const reading = readingFor(settings.quirks, upstreamWords(400))
  const readOne = (body: JsonObject): readonly Embedded[] =>
    within([readEmbedded(new Fields(body as never, ''))])
  const readMany = (body: JsonObject): readonly Embedded[] => within(readBatch(new Fields(body as never, '')))
  return [
    defineOperation<Prepared, readonly Embedded[]>('text.embed', {
      ...nativeRoute(settings),
      prepare: (body) => prepared(body, readOne),
      validate: ({ body, params }) => {
        requireModel(settings.catalog, modelOf(params), 'embedding')
        return reading(() => readOne(body))
      },
      respond: (batch, context) =>
        charged(batch, context, (values) => ({ embedding: { values: values[0]! } })),
    }),
    defineOperation<Prepared, readonly Embedded[]>('text.embed-batch', {
      ...nativeRoute(settings),
      prepare: (body) => prepared(body, readMany),
      validate: ({ body, params }) => {
        requireModel(settings.catalog, modelOf(params), 'embedding')
        return reading(() => readMany(body))
      },
      respond: (batch, context) =>
        charged(batch, context, (values, tokens) => ({
          embeddings: values.map((each) => ({ values: each })),
          usageMetadata: {
            promptTokenCount: tokens,
            promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
          },
        })),
    }),
  ]
}

function readBatch(fields: Fields): Embedded[] {
  const requests = fields.list('requests', maxConcurrent) ?? []
  if (requests.length === 0) throw new RequestRefused('requests is required', 'gateway')
  return requests.map((each, index) => readEmbedded(new Fields(each, `requests[${index}]`)))
}

/** @throws {RequestRefused} for texts that are too long together. */
function within(batch: readonly Embedded[]): readonly Embedded[] {
  refuseAbove(
    batch.reduce((sum, { text }) => sum + text.length, 0),
    maxEmbeddedCharacters,
  )
  return batch
}

function readEmbedded(fields: Fields): Embedded {
  const content = fields.within('content')
  if (!content) throw new RequestRefused(`${fields.at('content')} is required`, 'gateway')
  const dimensions = fields.wholeNumber('outputDimensionality', 1, maxDimensions) ?? defaultDimensions
  return { text: readTexts(content), dimensions }
}

/** A text's tokens, and its vector as a list in JSON, a number a line. */
interface Embedding {
  readonly tokens: number
  readonly numbers: readonly string[]
}

/** Embeddings that take long, made before the request is decided. */
type Prepared = readonly Embedding[] | undefined

/** Characters of texts, and numbers of vectors, that are embedded in the turn in which they are asked for. */
const maxCharactersAtOnce = 10_000
const maxNumbersAtOnce = 10_000

/** Embeds many or long texts in steps. Whatever is wrong with the request is found out later. */
function prepared(
  body: JsonObject,
  read: (body: JsonObject) => readonly Embedded[],
): MaybePromise<PreparedBody<Prepared>> {
  try {
    const batch = read(body)
    const characters = batch.reduce((sum, { text }) => sum + text.length, 0)
    const numbers = batch.reduce((sum, { dimensions }) => sum + dimensions, 0)
    if (characters > maxCharactersAtOnce || numbers > maxNumbersAtOnce) {
      return runInTurns(embed(batch)).then((made) => ({ prepared: made, fields: body }))
    }
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
  }
  return { prepared: undefined, fields: body }
}

function* embed(batch: readonly Embedded[]): Steps<Embedding[]> {
  const made: Embedding[] = []
  for (const { text, dimensions } of batch) {
    const tokens = countTokens(text)
    yield
    const values = yield* embedInSteps(text, dimensions)
    made.push({ tokens, numbers: values.map(String) })
    yield
  }
  return made
}

/** Stands for a vector until it is written: that it has no other place in an answer is certain. */
const placeholder = '[numbers]'

function charged(
  batch: readonly Embedded[],
  context: Context,
  write: (values: readonly string[], tokens: number) => unknown,
): Reply {
  const made = (context.request.prepared as Prepared) ?? runAtOnce(embed(batch))
  const input = made.reduce((sum, { tokens }) => sum + tokens, 0)
  payForTokens(context, modelOf(context.request.params), { input, output: 0 })
  const parts = indented(write(made.map(() => placeholder), input)).split(JSON.stringify(placeholder)) // prettier-ignore
  let body = parts[0]!
  for (const [index, { numbers }] of made.entries()) {
    const indent = /\n( *)[^\n]*$/.exec(parts[index]!)![1]!
    body += `[\n${indent}  ${numbers.join(`,\n${indent}  `)}\n${indent}]${parts[index + 1]!}`
  }
  return { status: 200, headers: nativeHeaders, body: `${body}\n`, delayMs: 0 }
}
