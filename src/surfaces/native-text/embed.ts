import type { JsonObject } from '../../gateway/json.ts'
import type { Reply } from '../../gateway/reply.ts'
import { defineRoute, type Context, type PreparedBody, type Route } from '../../gateway/route.ts'
import { defaultDimensions, embedText, mostDimensions } from '../../text/embed.ts'
import { countWithin } from '../../text/tokens.ts'
import { requireModel } from '../models/catalog.ts'
import { Fields } from '../text/fields.ts'
import { payForTokens } from '../text/pay.ts'
import { readingFor, RequestRefused, type Reading } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { readTexts } from './contents.ts'
import { modelOf } from './describe.ts'
import { nativeReply } from './native-reply.ts'
import { nativeRoute, pathsOf, upstreamWords } from './native-route.ts'
import { refuseAbove } from '../text/length.ts'

export const mostAtOnce = 100

/** Embedding looks at every letter more than once. */
export const mostEmbeddedCharacters = 1_000_000

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
  const prepare = (body: JsonObject): PreparedBody<undefined> => ({ prepared: undefined, fields: body })
  return [
    defineRoute<undefined, Embedded>({
      ...nativeRoute(settings),
      operation: 'text.embed',
      methods: ['POST'],
      ...pathsOf('embedContent'),
      prepare,
      validate: ({ body, params }) => {
        requireModel(settings.catalog, modelOf(params), 'embedding')
        return reading(() => within([readEmbedded(new Fields(body as never, ''))])[0]!)
      },
      respond: (embedded, context) =>
        charged([embedded], context, reading, (values) => ({ embedding: { values: values[0]! } })),
    }),
    defineRoute<undefined, readonly Embedded[]>({
      ...nativeRoute(settings),
      operation: 'text.embed-batch',
      methods: ['POST'],
      ...pathsOf('batchEmbedContents'),
      prepare,
      validate: ({ body, params }) => {
        requireModel(settings.catalog, modelOf(params), 'embedding')
        return reading(() => within(readBatch(new Fields(body as never, ''))))
      },
      respond: (batch, context) =>
        charged(batch, context, reading, (values, tokens) => ({
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
  const requests = fields.list('requests', mostAtOnce) ?? []
  if (requests.length === 0) throw new RequestRefused('requests is required', 'gateway')
  return requests.map((each, index) => readEmbedded(new Fields(each, `requests[${index}]`)))
}

/** @throws {RequestRefused} for texts that are too long together. */
function within(batch: readonly Embedded[]): readonly Embedded[] {
  refuseAbove(
    batch.reduce((sum, { text }) => sum + text.length, 0),
    mostEmbeddedCharacters,
  )
  return batch
}

function readEmbedded(fields: Fields): Embedded {
  const content = fields.within('content')
  if (!content) throw new RequestRefused(`${fields.at('content')} is required`, 'gateway')
  const dimensions = fields.wholeNumber('outputDimensionality', 1, mostDimensions) ?? defaultDimensions
  return { text: readTexts(content), dimensions }
}

function charged(
  batch: readonly Embedded[],
  context: Context,
  reading: Reading,
  write: (values: readonly (readonly number[])[], tokens: number) => unknown,
): Reply {
  const { work } = context.request
  const [input, values] = reading(() => [
    batch.reduce((sum, { text }) => sum + countWithin(text, work), 0),
    batch.map(({ text, dimensions }) => embedText(text, dimensions, work)),
  ])
  payForTokens(context, modelOf(context.request.params), { input, output: 0 })
  return nativeReply(write(values, input))
}
