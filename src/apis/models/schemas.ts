import * as z from 'zod/mini'
import type { modelsApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { must, named } from '../../scenario/schema/fields.ts'
import { messageError } from '../messages/schemas.ts'
import { nativeError, nativeModel, nativeModelList, nativePage } from '../native-text/schemas.ts'
import { gatewayError, integer, unixSeconds, type ApiSchema } from '../define/operation-schema.ts'

const model = named(
  'Model',
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: unixSeconds,
    owned_by: z.string(),
    supported_endpoint_types: z.array(z.string()),
  }),
  'A model.',
)

const anthropicModel = named(
  'AnthropicModel',
  z.object({
    id: z.string(),
    created_at: z.string(),
    display_name: z.string(),
    type: z.literal('model'),
    capabilities: z.null(),
    deprecated_at: z.null(),
    lifecycle: z.literal('active'),
    line: z.null(),
    max_input_tokens: z.null(),
    max_tokens: z.null(),
    retires_at: z.null(),
  }),
  "A model in the form of Anthropic's API.",
)

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

export const modelSchemas: ApiSchema<NamesOf<[typeof modelsApi]>> = {
  title: 'Models',
  description:
    "Models and prices. A native key selects the form of the native API, `x-api-key` with `anthropic-version` that of Anthropic's.",
  error: z.union([gatewayError, nativeError, messageError]),
  keys: 'models',
  operations: {
    'models.list': {
      summary: 'List models',
      query: z.object(nativePage),
      answer: {
        json: z.union([
          z.object({ data: z.array(model), object: z.literal('list'), success: z.boolean() }),
          nativeModelList,
          z.object({
            data: z.array(anthropicModel),
            first_id: z.nullable(z.string()),
            has_more: z.literal(false),
            last_id: z.nullable(z.string()),
          }),
        ]),
      },
    },
    'models.get': {
      summary: 'Get a model',
      answer: { json: z.union([model, nativeModel, anthropicModel, gatewayError]) },
    },
    'models.prices': {
      summary: 'List prices',
      answer: {
        json: z.object({
          auto_groups: z.array(z.string()),
          data: z.array(price),
          group_ratio: z.record(z.string(), z.number()),
          pricing_version: z.string(),
          success: z.boolean(),
          supported_endpoint: z.record(z.string(), z.object({ path: z.string(), method: z.string() })),
          usable_group: z.record(z.string(), z.string()),
          vendors: z.array(z.unknown()),
        }),
      },
    },
  },
}
