import * as z from 'zod/mini'
import { Refused } from '../jobs/kit/refused.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { upstreamWords } from '../text/openai/words.ts'
import { may } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { defineOperation, type Behaviour } from '../define/operation.ts'
import { pageForm, writePage } from '../define/page.ts'
import { refuseMisfit } from '../text/refuse-misfit.ts'
import type { Core } from '../../gateway/core.ts'
import { guardFor } from '../text/fields.ts'
import { storedHint } from './create.ts'
import { storedResponses, type StoredResponse } from '../text/store.ts'

const retrieveForm = defineForm(
  () =>
    z.object({
      stream: may(
        z.catch(z.optional(z.boolean()), undefined),
        'Must not be true: stored responses are not streamed.',
      ),
    }),
  refuseMisfit,
  { isQuery: true },
)

/**
 * Returns a stored response. Until its last token is due, it is in progress.
 * @assumed §4.9 stored responses are undocumented; it is that of the protocol's own service.
 */
export const responsesRetrieve = defineOperation(
  {
    name: 'responses.retrieve',
    summary: 'Retrieve a response',
    role: 'read',
    route: 'GET /v1/responses/{response_id}',
    form: retrieveForm,
  },
  (core: Core): Behaviour<unknown, StoredResponse, z.output<typeof retrieveForm.schema>> => {
    const guard = guardFor(upstreamWords(400))

    return {
      guard,
      parse: (x, { stream }) => {
        if (stream) throw new Refused('stored responses are not streamed: leave stream out')
        return requireStored(core, x)
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
  {
    name: 'responses.delete',
    summary: 'Delete a response',
    role: 'change',
    route: 'DELETE /v1/responses/{response_id}',
  },
  (core: Core): Behaviour<unknown, StoredResponse> => ({
    parse: (x) => requireStored(core, x),
    respond: (x) => {
      const id = idOf(x)
      core.use(storedResponses).remove(x.namespace.name, id)
      return jsonReply(200, { id, object: 'response', deleted: true })
    },
  }),
)

const itemsForm = pageForm(1, (message) => new Refused(message))

/** Lists the input items of a stored response, the last one first. */
export const responsesInputItems = defineOperation(
  {
    name: 'responses.input-items',
    summary: 'List what a response was given',
    role: 'list',
    route: 'GET /v1/responses/{response_id}/input_items',
    form: itemsForm,
  },
  (core: Core): Behaviour<unknown, object, z.output<typeof itemsForm.schema>> => {
    const guard = guardFor(upstreamWords(400))

    return {
      guard,
      check: (x) => void requireStored(core, x),
      parse: (x, page) =>
        writePage(requireStored(core, x).input, page, {
          idOf: ({ id }) => id,
          write: (item) => item,
          unknown: () => new Refused('after is not the id of an item of this response'),
        }),
      respond: (_x, page) => jsonReply(200, page),
    }
  },
)

function idOf({ params }: Exchange): string {
  return params['response_id'] ?? ''
}

/** @throws {GatewayError} for a response that isn't stored, or is another account's. */
function requireStored({ use }: Core, x: Exchange): StoredResponse {
  const found = use(storedResponses).find(x.namespace.name, idOf(x), x.caller.hashedKey, x.now)
  if (found) return found
  const message = `Response with id '${idOf(x).slice(0, 100)}' not found.`
  throw upstreamError(404, message, { type: 'invalid_request_error', code: '' }).withHint(storedHint)
}
