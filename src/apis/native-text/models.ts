import { abortError } from '../../gateway/replies/errors.ts'
import type { Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import type { KeyRecord } from '../../gateway/accounts/keys.ts'
import { isFor, type Catalog, type ListedModel } from '../models/catalog.ts'
import { readingFor, RequestRefused } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { modelOf } from './describe.ts'
import { nativeReply } from './native-reply.ts'
import { nativeRoute, upstreamWords } from './native-route.ts'

const defaultPage = 50
const largestPage = 1_000

/**
 * The models that texts can be asked of.
 * @assumed §8 the form of the listing is not shown; wire §8.5.
 */
export function nativeModelRoutes(settings: TextSurfaceSettings): Route[] {
  const reading = readingFor(settings.quirks, upstreamWords(400))
  return [
    defineOperation('text.models', {
      ...nativeRoute(settings),
      validate: ({ query }) => reading(() => readPage(new URLSearchParams(query))),
      respond: (page, { key }) => nativeReply(nativeList(settings, page, key)),
    }),
    defineOperation('text.model', {
      ...nativeRoute(settings),
      validate: ({ params }) => requireNative(settings.catalog, modelOf(params)),
      respond: (model) => nativeReply(nativeModel(settings, model)),
    }),
  ]
}

/** One page of the listing. */
export interface NativePage {
  readonly size: number
  readonly from: number
}

/** @throws {RequestRefused} for a size or a token that can't be. */
export function readPage(query: URLSearchParams): NativePage {
  const size = query.get('pageSize') || String(defaultPage)
  const from = query.get('pageToken') || '0'
  if (!/^\d{1,6}$/.test(size) || size === '0') {
    throw new RequestRefused('pageSize must be a whole number above 0')
  }
  if (!/^\d{1,6}$/.test(from)) throw new RequestRefused('pageToken is not one that a listing gave')
  return { size: Math.min(Number(size), largestPage), from: Number(from) }
}

export function nativeList(
  settings: TextSurfaceSettings,
  { size, from }: NativePage,
  key: KeyRecord | undefined,
): unknown {
  const all = settings.catalog.listed.filter((model) => isNative(model) && isFor(key, model))
  const models = all.slice(from, from + size).map((model) => nativeModel(settings, model))
  if (settings.quirks.nativeModelStyle === 'gateway') return { models, nextPageToken: null }
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

/** Whether this dialect has anything to ask of a model. */
function isNative({ kinds }: ListedModel): boolean {
  return kinds.includes('text') || kinds.includes('embedding')
}

export function nativeModel(
  { quirks: { nativeModelStyle } }: TextSurfaceSettings,
  { name, kinds }: ListedModel,
): unknown {
  if (nativeModelStyle === 'gateway') return gatewaysModel(name)
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

/** The gateway knows of its models little more than their names. */
function gatewaysModel(name: string): unknown {
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
