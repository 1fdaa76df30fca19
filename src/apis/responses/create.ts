import { toUnixSeconds } from '../../engine/clock/duration.ts'
import { isObject } from '../../engine/is-object.ts'
import { textSettings } from '../text/settings.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import type { Turn } from '../../text/spec.ts'
import { upstreamWords } from '../text/openai/words.ts'
import { promptBlocked } from '../text/openai/words.ts'
import { dataUrls } from '../text/openai/images.ts'
import { contentOfUser, lastText } from '../text/fields.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { addHint, type BilledAnswer } from '../text/answer.ts'
import { atOnce } from '../text/calls/at-once.ts'
import { findCallDialect } from '../text/calls/find-dialect.ts'
import { textBehaviour, type ReadRequest } from '../text/operation.ts'
import { durationOf } from '../text/text-delta.ts'
import {
  begunResponse,
  endedResponse,
  itemId,
  outputOf,
  readItemId,
  turnOf,
  type OutputItem,
} from './output.ts'
import { responseForm, type ResponseBody } from './form.ts'
import { readResponseRequest, type ResponseForm } from './request.ts'
import { storedResponses, type StoredResponse } from '../text/store.ts'
import { responseStream } from './stream.ts'

/** The ways in which gateways stream calls of functions. */
export const responseCalls = [atOnce]

/** OpenAI's Responses API. It writes the same texts as chats, as items that are stored. */
export const responsesCreate = defineOperation(
  {
    name: 'responses.create',
    summary: 'Create a response',
    role: 'text',
    route: 'POST /v1/responses',
    form: responseForm,
  },
  (core: Core) => {
    const text = core.use(textSettings)
    const responses = core.use(storedResponses)
    const hasUsage = core.quirks.usageByDefault !== 'never'
    const calls = findCallDialect(core.quirks, responseCalls)
    const stored = (x: Exchange, id: string): StoredResponse | undefined =>
      responses.find(x.namespace.name, id, x.caller.hashedKey, x.now)

    /** Creates the response, and stores it unless it will fail. */
    const complete = (
      billed: BilledAnswer,
      x: Exchange,
      { request, form }: ReadRequest<ResponseForm>,
    ): Made => {
      if (form.unusedTools.length > 0) {
        const types = form.unusedTools.join(', ')
        addHint(x, `Tools of type ${types} are accepted and never called: only functions are.`)
      }
      const id = newId(x)
      const head = { id, createdAt: toUnixSeconds(x.now), model: request.model, settings: form.settings }
      const completesAt = x.now + durationOf(billed, text.timing)
      const [candidate] = billed.answer.candidates
      const output = outputOf(candidate, id, form)
      const ended = endedResponse(head, billed.answer, output, toUnixSeconds(completesAt), hasUsage)
      if (form.isStored && !billed.promptFault) {
        responses.put(x.namespace.name, id, {
          key: x.caller.hashedKey,
          at: x.now,
          completesAt,
          previous: form.previous,
          turns: candidate ? [...form.turns, turnOf(candidate)] : form.turns,
          input: form.items.map((item, index) => storedItem(item, itemId('msg', id, 'in', index))),
          response: ended,
        })
      }
      return { output, begun: begunResponse(head), ended }
    }

    const behaviour = textBehaviour<ResponseForm, ResponseBody>(core, {
      imagesOf: (body) => imageUrls(body['input']),
      read: (x, images, body) =>
        readResponseRequest(body, x.body, text.messageLimit, {
          history: historyOf(body.previous_response_id, (id) => stored(x, id)),
          images,
          itemOf: (id) => findItem(id, (response) => stored(x, response)),
        }),
      words: upstreamWords,
      blocked: promptBlocked,
      stream: (billed, x, read) => {
        const { output, begun, ended } = complete(billed, x, read)
        return { body: responseStream(billed, text.timing, output, begun, ended, calls) }
      },
      whole: (billed, x, read) => ({ body: JSON.stringify(complete(billed, x, read).ended) }),
    })

    return {
      ...behaviour,
      describe: ({ body: { model, input } }) =>
        describeRequest(model, typeof input === 'string' ? input : lastText(input, contentOfUser)),
    }
  },
)

interface Made {
  readonly output: readonly OutputItem[]
  readonly begun: JsonObject
  readonly ended: JsonObject
}

function newId({ namespace, identity, attempt, draws }: Exchange): string {
  const subject = `${namespace.name}/${identity}`
  return `resp_${draws.text('0123456789abcdef', 48, 'response', subject, attempt)}`
}

/** The earlier turns of a response, oldest first. @throws {GatewayError} for a response that isn't stored. */
function historyOf(
  last: string | null | undefined,
  find: (id: string) => StoredResponse | undefined,
): readonly Turn[] {
  const chain: (readonly Turn[])[] = []
  for (let id = last ?? null; typeof id === 'string';) {
    const found = find(id)
    if (!found) {
      const message = `Previous response with id '${id.slice(0, 100)}' not found.`
      const words = { type: 'invalid_request_error', code: 'previous_response_not_found' }
      throw upstreamError(400, message, words).withHint(storedHint)
    }
    chain.push(found.turns)
    id = found.previous
  }
  return chain.toReversed().flat()
}

/** The hint for a response that is not stored. */
export const storedHint =
  'A response is stored for 30 days, for its own API key and namespace, unless store is false or it was deleted.'

/** @throws {GatewayError} for an item that isn't stored. */
function findItem(id: string, find: (response: string) => StoredResponse | undefined): JsonObject {
  const named = readItemId(id)
  const found = named && find(named.response)
  const items = named?.isInput ? found?.input : found?.response['output']
  const item = named && Array.isArray(items) ? (items[named.index] as JsonValue) : undefined
  if (isObject(item)) return item
  const message =
    `Item with id '${id.slice(0, 100)}' not found. Items are not persisted when \`store\` is set to false. ` +
    'Try again with `store` set to true, or remove this item from your input.'
  throw upstreamError(404, message, upstreamWords(404)).withHint(storedHint)
}

/** A stored item of the input, without the bytes of its images and files. */
function storedItem(item: JsonObject, id: string): JsonObject {
  const { content, output, type = 'message' } = item
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content
  return {
    id,
    ...item,
    type,
    ...(parts !== undefined && { content: withoutBytes(parts) }),
    ...(output !== undefined && { output: withoutBytes(output) }),
    status: 'completed',
  }
}

const fieldsOfBytes = ['image_url', 'file_data', 'input_audio']

function withoutBytes(parts: JsonValue): JsonValue {
  if (!Array.isArray(parts)) return parts
  return parts.map((part) => {
    if (!isObject(part)) return part
    const fields = Object.entries(part)
    return Object.fromEntries(
      fields.map(([name, value]) => [name, fieldsOfBytes.includes(name) ? null : value]),
    )
  })
}

/** The data URLs of all images in an unchecked input. */
function imageUrls(input: JsonValue | undefined): string[] {
  const items = Array.isArray(input) ? input : []
  return items.flatMap((item) =>
    isObject(item) ? [...dataUrls(item['content']), ...dataUrls(item['output'])] : [],
  )
}
