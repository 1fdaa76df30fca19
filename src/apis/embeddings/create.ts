import { Refused } from '../jobs/kit/refused.ts'
import { encodeBase64 } from '../../gateway/bodies/base64.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import { countTokens } from '../../text/tokens.ts'
import { upstreamWords } from '../text/openai/words.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { embeddingBehaviour, type EmbeddingInput } from '../text/embedding.ts'
import { embeddingForm, maxInputs, maxInputTokens, tooManyTokens, type EmbeddingBody } from './form.ts'

/** The product of the maximum number of inputs and the default length. */
export const maxNumbers = maxInputs * 1_536

/**
 * Embeddings in the form of OpenAI's API.
 * @assumed §2.6 embeddings are undocumented; request, response and limits are those of the protocol's own service.
 */
export const embeddingsCreate = defineOperation(
  {
    name: 'embeddings.create',
    summary: 'Create embeddings',
    role: 'read',
    route: 'POST /v1/embeddings',
    form: embeddingForm,
  },
  (core: Core) => {
    const behaviour = embeddingBehaviour(core, {
      form: embeddingForm,
      words: upstreamWords,
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
      describe: ({ body: { model, input } }) => {
        const texts = [input].flat().filter((each) => typeof each === 'string')
        return describeRequest(model, texts.length > 0 ? texts.join(' ') : undefined)
      },
    }
  },
)

/** Reads a text, texts, tokens, or lists of tokens. @throws {Refused} */
function readInputs({
  input,
  model,
  dimensions = defaultDimensionsOf(model),
}: EmbeddingBody): EmbeddingInput[] {
  const isOne = typeof input === 'string' || isTokens(input)
  const inputs = isOne ? [input] : input
  if (inputs.length * dimensions > maxNumbers) {
    const numbers = `${inputs.length} vectors of ${dimensions} numbers`
    throw new Refused(`input makes ${numbers}, at most ${maxNumbers} numbers are given in one response`)
  }
  return inputs.map((each, index) => {
    // The client's vocabulary is unknown, so each token counts as a word.
    if (typeof each !== 'string')
      return { text: each.map((token) => `token${token}`).join(' '), tokens: each.length, dimensions }
    const count = each.length > maxInputTokens ? countTokens(each) : 0
    if (count > maxInputTokens) throw new Refused(tooManyTokens(isOne ? 'input' : `input[${index}]`, count))
    return { text: each, dimensions }
  })
}

function isTokens(list: EmbeddingBody['input']): list is number[] {
  return typeof list[0] === 'number'
}

/** The number of dimensions that vector stores expect of a model. */
function defaultDimensionsOf(model: string): number {
  return model.endsWith('-3-large') ? 3_072 : 1_536
}

/** Encodes 32-bit numbers, lowest byte first, as in the memory of every current machine. */
function toBase64(values: readonly number[]): string {
  return encodeBase64(new Uint8Array(new Float32Array(values).buffer))
}
