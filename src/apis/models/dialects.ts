import { GatewayError } from '../../gateway/replies/errors.ts'
import { answer } from '../jobs/kit/operations.ts'
import { WrittenJson, type Answer } from '../jobs/kit/answer.ts'
import type { Call, CallModel } from '../jobs/kit/call.ts'
import type { Refusal, Refusing } from '../jobs/kit/refused.ts'
import { messagesKey } from '../text/anthropic/key.ts'
import { messageRefusal, requestIdHeader } from '../text/anthropic/refuse.ts'
import { nativeList, nativeModel, requireNative, type ModelPage } from '../text/native/models.ts'
import { nativeHeaders, nativeJson, nativeRefusal } from '../text/native/refuse.ts'
import { nativeKey } from '../text/native/request.ts'
import { endpointTypes } from './endpoints.ts'

/** How one API lists models. Below `/v1`, three have the same paths. */
interface ModelsDialect {
  readonly isOf: (request: ModelsRequest) => boolean
  readonly list: (models: readonly CallModel[], page: ModelPage) => object
  /** @throws {GatewayError} for a model that isn't listed. */
  readonly get: (models: readonly CallModel[], name: string) => object
  readonly send: (body: object, call: Call<unknown>) => Answer
  readonly refuse: (refusal: Refusal, about: Refusing) => Answer
}

/** What tells whose client has sent a request. */
type ModelsRequest = Pick<Call, 'path' | 'header'> & { readonly query: string | URLSearchParams }

/** The creation time of all models, in Unix seconds. */
const createdAt = 1_626_777_600

/**
 * For clients of Anthropic's API: their version says so, since the key is in either header.
 * @assumed §8 the listing for these clients is undocumented; wire §9.3 selects it by x-api-key and the version, but the
 * vendor's SDK sends its key as `Authorization` since version 1.
 */
const anthropic: ModelsDialect = {
  isOf: (request) => request.path.startsWith('/v1/') && request.header('anthropic-version') !== '',
  // All models are one page.
  list: (models) => ({
    data: models.map(anthropicModel),
    first_id: models[0]?.name ?? null,
    has_more: false,
    last_id: models.at(-1)?.name ?? null,
  }),
  get: (models, name) => anthropicModel(requireListed(models, name)),
  send: (body, call) => answer(200, body, requestIdHeader(call)),
  refuse: ({ status, code }, { usual, call }) =>
    answer(status, messageRefusal({ status, code }, usual.body, call.requestId), requestIdHeader(call)),
}

/** For clients with a native key. Below `/v1beta/openai`, such a key gives OpenAI's listing. */
const native: ModelsDialect = {
  isOf: (request) => !request.path.startsWith('/v1beta/openai/') && nativeKey(request) !== undefined,
  list: nativeList,
  get: (models, name) => nativeModel(requireNative(models, name)),
  send: (body) => answer(200, new WrittenJson(nativeJson(body)), nativeHeaders),
  refuse: ({ status }, { usual }) => answer(status, nativeRefusal(status, usual.body)),
}

const openai: ModelsDialect = {
  isOf: () => true,
  list: (models) => ({ data: models.map(openaiModel), object: 'list', success: true }),
  get: (models, name) => openaiModel(requireListed(models, name)),
  send: (body) => answer(200, body),
  refuse: (_refusal, { usual }) => usual,
}

/** The dialect of a request. */
export function dialectOf(request: ModelsRequest): ModelsDialect {
  return [anthropic, native, openai].find(({ isOf }) => isOf(request))!
}

/** Reads the key from where clients of the dialect send it. */
export function readModelsKey(request: ModelsRequest): string | undefined {
  return (anthropic.isOf(request) ? messagesKey(request) : undefined) ?? nativeKey(request)
}

/** @assumed §7 the answer to an unknown model is undocumented; wire §9.3, but with 404: there, it is 200. */
function requireListed(models: readonly CallModel[], model: string): CallModel {
  const known = models.find(({ name }) => name === model)
  if (known) return known
  const message = `The model '${model.slice(0, 200)}' does not exist`
  throw new GatewayError(404, message, () => ({
    error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  }))
}

function openaiModel(model: CallModel): object {
  return {
    id: model.name,
    object: 'model',
    created: createdAt,
    owned_by: 'custom',
    supported_endpoint_types: endpointTypes(model),
  }
}

/** @assumed §8 all fields but the first four are undocumented; `ModelInfo` of the vendor's SDK. */
function anthropicModel({ name }: CallModel): object {
  const created = new Date(createdAt * 1_000).toISOString().replace('.000', '')
  return {
    id: name,
    created_at: created,
    display_name: name,
    type: 'model',
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: null,
    max_tokens: null,
    retires_at: null,
  }
}
