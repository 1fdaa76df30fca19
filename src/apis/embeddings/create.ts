import { encodeBase64 } from '../../gateway/bodies/base64.ts'
import { textSettings } from '../text/settings.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import { countTokens } from '../../text/tokens.ts'
import { maxDimensions } from '../../text/write/embed.ts'
import { upstreamWords } from '../chat/answer.ts'
import { requireModelName } from '../models/catalog.ts'
import { defineOperation, type ApiDeps, type Description, type Behaviour } from '../define/operation.ts'
import { embeddingBehaviour, type EmbeddingInput, type PreparedEmbeddings } from '../text/embedding.ts'
import { Fields, guardFor, RequestRefused, show } from '../text/fields.ts'

/** The limits of the protocol's own service. */
export const maxInputs = 2_048
export const maxInputTokens = 8_192

/** The product of the maximum number of inputs and the default length. */
export const maxNumbers = maxInputs * 1_536

const formats = ['float', 'base64'] as const

/**
 * Embeddings in the form of OpenAI's API.
 * @assumed §2.6 embeddings are undocumented; request, response and limits are those of the protocol's own service.
 */
export const embeddingsCreate = defineOperation(
  { name: 'embeddings.create', role: 'read', route: 'POST /v1/embeddings' },
  ({ use, quirks }: ApiDeps): Behaviour<PreparedEmbeddings, readonly EmbeddingInput[]> => {
    const guard = guardFor(quirks, upstreamWords(400))
    const behaviour = embeddingBehaviour(use(textSettings).catalog, guard, {
      modelOf: ({ body }) => requireModelName(body['model']),
      read: readInputs,
      encode: (values, { encoding_format: format }) =>
        format === 'base64' ? `"${toBase64(values)}"` : `[${values.join(',')}]`,
      // Not JSON.stringify, because encoding millions of numbers in one turn would take too long.
      write: (embeddings, tokens, { body: { model } }) => {
        const data = embeddings.map(
          ({ encoded }, index) => `{"object":"embedding","index":${index},"embedding":${encoded}}`,
        )
        const usage = { prompt_tokens: tokens, total_tokens: tokens }
        const end = JSON.stringify({ model, usage }).slice(1)
        const body = `{"object":"list","data":[${data.join(',')}],${end}`
        return { status: 200, headers: jsonHeaders, body, delayMs: 0 }
      },
    })

    return {
      ...behaviour,
      describe: describeEmbeddings,
    }
  },
)

/** Reads a text, texts, tokens, or lists of tokens. @throws {RequestRefused} */
function readInputs(body: JsonObject): EmbeddingInput[] {
  const fields = new Fields(body as never, '')
  fields.oneOf('encoding_format', formats)
  const dimensions = fields.wholeNumber('dimensions', 1, maxDimensions) ?? defaultDimensionsOf(body['model'])
  const input = fields.get('input')
  if (input === undefined) throw new RequestRefused('input is empty', 'gateway')
  const isOne = typeof input === 'string' || isTokens(input)
  const inputs = isOne ? [input] : Array.isArray(input) ? input : undefined
  if (!inputs || inputs.length === 0) throw notEmbeddable('input', input)
  if (inputs.length > maxInputs) {
    throw new RequestRefused(
      `input has ${inputs.length} items, at most ${maxInputs} are taken in one request`,
    )
  }
  if (inputs.length * dimensions > maxNumbers) {
    const numbers = `${inputs.length} vectors of ${dimensions} numbers`
    throw new RequestRefused(
      `input makes ${numbers}, at most ${maxNumbers} numbers are given in one response`,
    )
  }
  return inputs.map((each, index) => ({
    ...readInput(each, isOne ? 'input' : `input[${index}]`),
    dimensions,
  }))
}

function readInput(value: JsonValue, path: string): Omit<EmbeddingInput, 'dimensions'> {
  if (isTokens(value)) {
    checkTokens(value.length, path)
    // The client's vocabulary is unknown, so each token counts as a word.
    return { text: value.map((token) => `token${token}`).join(' '), tokens: value.length }
  }
  if (typeof value !== 'string' || value === '') throw notEmbeddable(path, value)
  if (value.length > maxInputTokens) checkTokens(countTokens(value), path)
  return { text: value }
}

function isTokens(value: JsonValue): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)
  )
}

function checkTokens(count: number, path: string): void {
  if (count <= maxInputTokens) return
  throw new RequestRefused(`${path} has ${count} tokens, at most ${maxInputTokens} are taken: split the text`)
}

function notEmbeddable(path: string, value: JsonValue): RequestRefused {
  const found = Array.isArray(value) && value.length === 0 ? 'an empty array' : show(value)
  const kinds =
    path === 'input'
      ? 'a string, an array of strings, tokens, or an array of token arrays'
      : 'a string or tokens'
  return new RequestRefused(`${path} must be ${kinds}, and not be empty; it is ${found}`)
}

/** The number of dimensions that vector stores expect of a model. */
function defaultDimensionsOf(model: JsonValue | undefined): number {
  return typeof model === 'string' && model.endsWith('-3-large') ? 3_072 : 1_536
}

/** Encodes 32-bit numbers, lowest byte first, as in the memory of every current machine. */
function toBase64(values: readonly number[]): string {
  return encodeBase64(new Uint8Array(new Float32Array(values).buffer))
}

function describeEmbeddings({ body: { model, input } }: Exchange): Description {
  const texts = (Array.isArray(input) ? input : [input]).filter((each) => typeof each === 'string')
  return {
    ...(typeof model === 'string' && { model }),
    ...(texts.length > 0 && { prompt: texts.join(' ') }),
  }
}
