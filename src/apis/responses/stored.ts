import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { upstreamWords } from '../chat/answer.ts'
import { defineOperation, type ApiDeps, type Behaviour } from '../define/operation.ts'
import { guardFor, RequestRefused } from '../text/fields.ts'
import { storedHint } from './create.ts'
import { storedResponses, type StoredResponse } from '../text/store.ts'

/**
 * Returns a stored response. Until its last token is due, it is in progress.
 * @assumed §4.9 this protocol is undocumented; it is that of the protocol's own service.
 */
export const responsesRetrieve = defineOperation(
  { name: 'responses.retrieve', role: 'read', route: 'GET /v1/responses/{response_id}' },
  (deps: ApiDeps): Behaviour<unknown, StoredResponse> => {
    const guard = guardFor(deps.quirks, upstreamWords(400))

    return {
      parse: (x) => {
        if (new URLSearchParams(x.query).get('stream') === 'true') {
          guard(() => {
            throw new RequestRefused('stored responses are not streamed: leave stream out')
          })
        }
        return requireStored(deps, x)
      },
      respond: ({ now }, { response, completesAt }) => {
        const pending = {
          status: 'in_progress',
          completed_at: null,
          incomplete_details: null,
          output: [],
          usage: null,
        }
        return jsonReply(200, now < completesAt ? { ...response, ...pending } : response)
      },
    }
  },
)

/** Deletes a stored response. No request can continue it after that. */
export const responsesDelete = defineOperation(
  { name: 'responses.delete', role: 'change', route: 'DELETE /v1/responses/{response_id}' },
  (deps: ApiDeps): Behaviour<unknown, StoredResponse> => ({
    parse: (x) => requireStored(deps, x),
    respond: (x) => {
      const id = idOf(x)
      deps.use(storedResponses).remove(x.namespace.name, id)
      return jsonReply(200, { id, object: 'response', deleted: true })
    },
  }),
)

const maxPage = 100
const defaultPage = 20

/** Lists the input items of a stored response, the last one first. */
export const responsesInputItems = defineOperation(
  { name: 'responses.input-items', role: 'list', route: 'GET /v1/responses/{response_id}/input_items' },
  (deps: ApiDeps): Behaviour<unknown, JsonObject> => {
    const guard = guardFor(deps.quirks, upstreamWords(400))

    return {
      parse: (x) => {
        const { input } = requireStored(deps, x)
        return guard(() => pageOf(input, new URLSearchParams(x.query)))
      },
      respond: (_x, page) => jsonReply(200, page),
    }
  },
)

/** @throws {RequestRefused} for an invalid limit or order, and for an unknown id. */
function pageOf(input: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = query.get('limit') ?? String(defaultPage)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxPage) {
    throw new RequestRefused(`limit must be a whole number from 1 to ${maxPage}`)
  }
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw new RequestRefused('order must be asc or desc')
  const items = order === 'asc' ? input : input.toReversed()
  const after = query.get('after')
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (after !== null && start === 0)
    throw new RequestRefused('after is not the id of an item of this response')
  const data = items.slice(start, start + Number(limit))
  return {
    object: 'list',
    data: data as JsonObject[string],
    first_id: data.at(0)?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: start + data.length < items.length,
  }
}

function idOf({ params }: Exchange): string {
  return params['response_id'] ?? ''
}

/** @throws {GatewayError} for a response that isn't stored, or is another account's. */
function requireStored({ use }: ApiDeps, x: Exchange): StoredResponse {
  const found = use(storedResponses).find(x.namespace.name, idOf(x), x.caller.hashedKey, x.now)
  if (found) return found
  const message = `Response with id '${idOf(x).slice(0, 100)}' not found.`
  throw upstreamError(404, message, { type: 'invalid_request_error', code: '' }).withHint(storedHint)
}
