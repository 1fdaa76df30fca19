import * as z from 'zod/mini'
import { textSettings } from '../text/settings.ts'
import { defaultPrice, priceOf } from '../../gateway/accounts/prices.ts'
import type { Price } from '../../scenario/vocabulary/types.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation } from '../define/operation.ts'
import { must, named } from '../../scenario/schema/fields.ts'
import { integer } from '../define/operation-schema.ts'
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
    schema: () => ({ answer: { json: priceList() } }),
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

function priceList(): z.ZodMiniType {
  const price = named(
    'Price',
    z.object({
      model_name: z.string(),
      quota_type: must(integer, '1: a price per task or per second of a task; 0: a price per token.'),
      model_ratio: must(z.number(), 'The price of a million input tokens, in units of two dollars.'),
      model_price: must(z.number(), 'In dollars.'),
      owner_by: z.string(),
      completion_ratio: must(z.number(), 'The price of an output token, relative to an input token.'),
      enable_groups: z.array(z.string()),
      supported_endpoint_types: z.array(z.string()),
      billing_unit: z.optional(z.string()),
    }),
    'What a model costs.',
  )
  return z.object({
    auto_groups: z.array(z.string()),
    data: z.array(price),
    group_ratio: z.record(z.string(), z.number()),
    pricing_version: z.string(),
    success: z.boolean(),
    supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
    usable_group: z.record(z.string(), z.string()),
    vendors: z.array(z.unknown()),
  })
}
