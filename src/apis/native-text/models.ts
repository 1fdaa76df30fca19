import { textSettings } from '../text/settings.ts'
import type { KeyRecord, Quirks } from '../../scenario/vocabulary/types.ts'
import { abortError } from '../../gateway/replies/errors.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import { isFor, type Catalog, type ListedModel } from '../models/catalog.ts'
import type { ApiDeps } from '../define/operation.ts'
import { guardFor, RequestRefused } from '../text/fields.ts'
import { defineNative, modelOf, upstreamWords } from './native-operation.ts'

const defaultPage = 50
const maxPage = 1_000

/**
 * The models for texts and embeddings.
 * @assumed §8 the form of the listing is undocumented; wire §8.5.
 */
export const textModels = defineNative(
  { name: 'text.models', role: 'list', route: 'GET /v1beta/models' },
  (deps: ApiDeps) => {
    const guard = guardFor(deps.quirks, upstreamWords(400))

    return {
      parse: ({ query }) => guard(() => readPage(new URLSearchParams(query))),
      respond: ({ key }, page) => nativeReply(nativeList(deps, page, key)),
    }
  },
)

/** One model. */
export const textModel = defineNative(
  {
    name: 'text.model',
    role: 'read',
    route: 'GET /v1beta/models/{model}',
    aliases: ['/v1beta/models/models/{model}'],
  },
  (deps: ApiDeps) => ({
    parse: (x) => requireNative(deps.use(textSettings).catalog, modelOf(x)),
    respond: (_x, model) => nativeReply(nativeModel(deps.quirks, model)),
  }),
)

export const nativeHeaders = { 'Content-Type': 'application/json; charset=UTF-8' }

/** JSON as the vendor writes it (wire §8.3): two spaces of indent, and a line break at the end. */
export function nativeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function nativeReply(body: unknown): Reply {
  return { status: 200, headers: nativeHeaders, body: nativeJson(body), delayMs: 0 }
}

/** One page of the listing. */
export interface NativePage {
  readonly size: number
  readonly from: number
}

/** @throws {RequestRefused} for an invalid size or token. */
export function readPage(query: URLSearchParams): NativePage {
  const size = query.get('pageSize') || String(defaultPage)
  const from = query.get('pageToken') || '0'
  if (!/^\d{1,6}$/.test(size) || size === '0') {
    throw new RequestRefused('pageSize must be a whole number above 0')
  }
  if (!/^\d{1,6}$/.test(from)) throw new RequestRefused('pageToken is not one that a listing gave')
  return { size: Math.min(Number(size), maxPage), from: Number(from) }
}

export function nativeList(
  { use, quirks }: ApiDeps,
  { size, from }: NativePage,
  key: KeyRecord | undefined,
): unknown {
  const all = use(textSettings).catalog.listed.filter((model) => isNative(model) && isFor(key, model))
  const models = all.slice(from, from + size).map((model) => nativeModel(quirks, model))
  if (quirks.nativeModelStyle === 'gateway') return { models, nextPageToken: null }
  return { models, ...(from + size < all.length ? { nextPageToken: String(from + size) } : {}) }
}

/** @throws {GatewayError} for a model that isn't listed. */
export function requireNative({ listed }: Catalog, name: string): ListedModel {
  const known = listed.filter(isNative)
  const model = known.find((each) => each.name === name)
  if (model) return model
  throw abortError(404, `model ${name.slice(0, 200)} is not found`, 'model_not_found').withHint(
    `Listed: ${known.map((each) => each.name).join(', ')}.`,
  )
}

/** Whether the native API can use a model. */
function isNative({ kinds }: ListedModel): boolean {
  return kinds.includes('text') || kinds.includes('embedding')
}

export function nativeModel({ nativeModelStyle }: Quirks, { name, kinds }: ListedModel): unknown {
  if (nativeModelStyle === 'gateway') return gatewayModel(name)
  const makesTexts = kinds.includes('text')
  return {
    name: `models/${name}`,
    version: '001',
    displayName: name,
    description: makesTexts ? 'A simulated text model.' : 'A simulated embedding model.',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: makesTexts ? 65_536 : 1,
    supportedGenerationMethods: [
      ...(makesTexts ? ['generateContent', 'countTokens'] : []),
      ...(kinds.includes('embedding') ? ['embedContent', 'batchEmbedContents'] : []),
    ],
    ...(makesTexts ? { temperature: 1, topP: 0.95, topK: 64, maxTemperature: 2, thinking: true } : {}),
  }
}

/** The gateway's own listing has little more than names. */
function gatewayModel(name: string): unknown {
  return {
    name,
    baseModelId: null,
    version: null,
    displayName: name,
    description: null,
    inputTokenLimit: null,
    outputTokenLimit: null,
    supportedGenerationMethods: null,
    thinking: null,
    temperature: null,
    maxTemperature: null,
    topP: null,
    topK: null,
  }
}
