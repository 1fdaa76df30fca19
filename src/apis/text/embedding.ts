import { Refused } from '../jobs/kit/refused.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type * as z from 'zod/mini'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange, PreparedBody } from '../../gateway/exchange.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { countTokens } from '../../text/tokens.ts'
import { embedText } from '../../text/write/embed.ts'
import { modelInBody, requireModel } from '../define/catalog.ts'
import type { Form } from '../define/form.ts'
import type { Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { chargeTokens } from './answer.ts'
import { guardFor, refuseAbove, type UpstreamWords } from './fields.ts'
import { textSettings } from './settings.ts'

/** The maximum number of characters, because embedding reads every letter more than once. */
export const maxEmbeddedCharacters = 1_000_000

/** A text, and the number of dimensions of its embedding. */
export interface EmbeddingInput {
  readonly text: string
  readonly dimensions: number
  /** The number of tokens that the client counted, if it did. */
  readonly tokens?: number
}

/** A text's number of tokens, and its vector in the form of the body. */
export interface Embedding {
  readonly tokens: number
  readonly encoded: string
}

/** Long embeddings, computed before the request is decided. */
type PreparedEmbeddings = readonly Embedding[] | undefined

/** Writes a vector in the form that a body names. */
type EncodeVector = (values: readonly number[], body: JsonObject) => string

/** The differences between the APIs of embeddings. */
interface EmbeddingDialect<Schema extends z.ZodMiniType> {
  readonly form: Form<Schema>
  /** The API's names for an error of the service behind the gateway, by its status. */
  readonly words: (status: number) => UpstreamWords
  /** By default, the field `model`. @throws {GatewayError} for a request without a model. */
  readonly modelOf?: (x: Exchange) => string
  /** The texts of a request. @throws {Refused} */
  readonly read: (fields: z.output<Schema>) => readonly EmbeddingInput[]
  readonly encode: EncodeVector
  /** @param tokens the number of tokens in all texts. */
  readonly write: (embeddings: readonly Embedding[], tokens: number, x: Exchange) => Reply
}

/** The behaviour of an operation that embeds texts. */
export function embeddingBehaviour<Schema extends z.ZodMiniType>(
  { use }: Core,
  { form, modelOf = modelInBody, words, read, encode, write }: EmbeddingDialect<Schema>,
): Behaviour<PreparedEmbeddings, readonly EmbeddingInput[], z.output<Schema>> {
  const { catalog } = use(textSettings)
  const guard = guardFor(words(400))
  const readInputs = (fields: z.output<Schema>): readonly EmbeddingInput[] => {
    const inputs = read(fields)
    refuseAbove(charactersOf(inputs), maxEmbeddedCharacters)
    return inputs
  }
  return {
    prepare: (body) => prepareEmbeddings(body, () => readInputs(form.read(body)), encode),
    guard,
    check: (x) => requireModel(catalog, modelOf(x), 'embedding'),
    parse: (_x, fields) => readInputs(fields),
    respond: (x, inputs) => {
      const embeddings = x.prepared ?? inputs.map((input) => embed(input, x.body, encode))
      const input = embeddings.reduce((sum, { tokens }) => sum + tokens, 0)
      chargeTokens(x, modelOf(x), { input, output: 0 })
      return write(embeddings, input, x)
    },
  }
}

/** Requests with fewer characters and numbers are embedded without waiting. */
const maxCharactersAtOnce = 10_000
const maxNumbersAtOnce = 10_000

/** Embeds many or long texts. Other requests get turns between them. Invalid requests are refused later. */
function prepareEmbeddings(
  body: JsonObject,
  read: () => readonly EmbeddingInput[],
  encode: EncodeVector,
): MaybePromise<PreparedBody<PreparedEmbeddings>> {
  try {
    const inputs = read()
    const numbers = inputs.reduce((sum, { dimensions }) => sum + dimensions, 0)
    if (charactersOf(inputs) > maxCharactersAtOnce || numbers > maxNumbersAtOnce) {
      return embedInTurns(inputs, body, encode).then((prepared) => ({ prepared, fields: body }))
    }
  } catch (error) {
    if (!(error instanceof Refused || error instanceof GatewayError)) throw error
  }
  return { prepared: undefined, fields: body }
}

async function embedInTurns(
  inputs: readonly EmbeddingInput[],
  body: JsonObject,
  encode: EncodeVector,
): Promise<Embedding[]> {
  const embeddings: Embedding[] = []
  for (const input of inputs) {
    await nextTurn()
    embeddings.push(embed(input, body, encode))
  }
  return embeddings
}

function embed(
  { text, dimensions, tokens = countTokens(text) }: EmbeddingInput,
  body: JsonObject,
  encode: EncodeVector,
): Embedding {
  return { tokens, encoded: encode(embedText(text, dimensions), body) }
}

function charactersOf(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce((sum, { text }) => sum + text.length, 0)
}
