import { defaultPrice } from '../../gateway/accounts/prices.ts'
import type { ModelOutput } from '../define/catalog.ts'
import type { CallModel } from '../jobs/kit/call.ts'

/** @assumed §8 these names are undocumented; wire §9.3. */
const typesByKind: Readonly<Record<ModelOutput, readonly string[]>> = {
  text: ['openai', 'openai-response', 'anthropic', 'gemini'],
  embedding: ['embeddings'],
  video: ['openai-video'],
  drawing: ['image-generation'],
}

/** The endpoints of a model, in the gateway's names. */
export function endpointTypes({ kinds }: CallModel): string[] {
  return kinds.flatMap((kind) => typesByKind[kind])
}

export const endpoints = {
  openai: { path: '/v1/chat/completions', method: 'POST' },
  'openai-response': { path: '/v1/responses', method: 'POST' },
  anthropic: { path: '/v1/messages', method: 'POST' },
  gemini: { path: '/v1beta/models/{model}:generateContent', method: 'POST' },
  embeddings: { path: '/v1/embeddings', method: 'POST' },
  'image-generation': { path: '/mj/submit/imagine', method: 'POST' },
  'openai-video': { path: '/v1/videos', method: 'POST' },
}

/** One unit of the gateway's ratios: two dollars for a million tokens. */
const dollarsPerRatio = 2

/**
 * A model with its price.
 * @assumed §8 the form of prices is undocumented; that of widely used gateways of this kind. `quota_type` 1 is a price in dollars
 * for each task, or for each of its seconds; 0 is by tokens: `model_ratio` times two dollars for a million of the request,
 * `completion_ratio` times that for the answer.
 */
export function pricedModel(model: CallModel): object {
  const { perTask, perSecond, input = 0, output = 0 } = model.price ?? defaultPrice
  const makesTasks = model.kinds.includes('video') || model.kinds.includes('drawing')
  const isPerTask = makesTasks && (perTask !== undefined || perSecond !== undefined)
  return {
    model_name: model.name,
    quota_type: isPerTask ? 1 : 0,
    model_ratio: isPerTask ? 0 : input / dollarsPerRatio,
    model_price: isPerTask ? (perTask ?? perSecond) : 0,
    owner_by: '',
    completion_ratio: isPerTask || input === 0 ? 0 : output / input,
    enable_groups: ['default'],
    supported_endpoint_types: endpointTypes(model),
    ...(isPerTask && perSecond !== undefined ? { billing_unit: 'second' } : {}),
  }
}
