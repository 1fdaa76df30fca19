import { textSettings } from '../text/settings.ts'
import { defaultPrice, priceOf } from '../../gateway/accounts/prices.ts'
import type { Price } from '../../scenario/vocabulary/types.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import type { ListedModel } from '../define/catalog.ts'
import { endpointTypes } from './catalog.ts'

/** One unit of the gateway's ratios: two dollars for a million tokens. */
const dollarsPerRatio = 2

/**
 * Lists the published prices (§8). This needs no key.
 *
 * @assumed §8 the form of the listing is undocumented; it is that of widely used gateways of this kind. `quota_type` 1 is a
 * price in dollars for each task, or for each of its seconds; 0 is by tokens: `model_ratio` times two dollars for a million
 * of the request, `completion_ratio` times that for the answer. The account's discount is its group's ratio.
 */
export const modelsPrices = defineOperation(
  {
    name: 'models.prices',
    summary: 'List prices',
    role: 'read',
    route: 'GET /api/pricing',
    access: 'public',
  },
  ({ use }: Core) => ({
    respond: ({ billing: { prices, discount } }) =>
      jsonReply(200, {
        auto_groups: ['default'],
        data: use(textSettings).catalog.listed.map((model) => priced(model, prices)),
        group_ratio: { default: discount },
        pricing_version: 'greenroom-1',
        success: true,
        supported_endpoint: endpoints,
        usable_group: { default: 'default' },
        vendors: [],
      }),
  }),
)

const endpoints = {
  openai: { path: '/v1/chat/completions', method: 'POST' },
  'openai-response': { path: '/v1/responses', method: 'POST' },
  anthropic: { path: '/v1/messages', method: 'POST' },
  gemini: { path: '/v1beta/models/{model}:generateContent', method: 'POST' },
  embeddings: { path: '/v1/embeddings', method: 'POST' },
  'image-generation': { path: '/mj/submit/imagine', method: 'POST' },
  'openai-video': { path: '/v1/videos', method: 'POST' },
}

function priced(model: ListedModel, prices: readonly Price[]): Record<string, unknown> {
  const price = priceOf(prices, model.name) ?? defaultPrice
  const { perTask, perSecond, input = 0, output = 0 } = price
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
