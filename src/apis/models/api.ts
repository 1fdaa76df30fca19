import { defineJobs } from '../jobs/define-jobs.ts'
import type { ApiDefinition } from '../jobs/kit/definition.ts'
import { call } from '../jobs/kit/operations.ts'
import { handlers } from '../other-apis.ts'
import { messagesKeyPlace } from '../text/anthropic/key.ts'
import { modelPageForm } from '../text/native/models.ts'
import { modelOf, nativeKeyPlaces } from '../text/native/request.ts'
import { dialectOf, readModelsKey } from './dialects.ts'
import { endpoints, pricedModel } from './endpoints.ts'

/** Models and prices (§8). */
const models = {
  name: 'models',
  title: 'Models',
  contentType: 'application/json; charset=utf-8',
  error: (refusal, about) => dialectOf(about.call).refuse(refusal, about),
  operations: {
    /** @assumed §8 the form of the listing is undocumented; wire §8.1 and §9.3. */
    list: call({
      route: 'GET /v1/models',
      also: ['/v1beta/openai/models'],
      summary: 'List models',
      does: 'list',
      body: modelPageForm,
      goldens: true,
      reply: (request) => {
        const { list, send } = dialectOf(request)
        const allowed = request.models.filter(({ isAllowed }) => isAllowed)
        return send(list(allowed, request.body), request)
      },
    }),
    get: call({
      route: 'GET /v1/models/{model}',
      also: ['/v1beta/openai/models/{model}'],
      summary: 'Get a model',
      goldens: true,
      reads: (request) => ({ model: modelOf(request) }),
      reply: (request) => {
        const { get, send } = dialectOf(request)
        return send(get(request.models, modelOf(request)), request)
      },
    }),
    prices: call({
      route: 'GET /api/pricing',
      summary: 'List prices',
      isPublic: true,
      goldens: true,
      reply: ({ models: listed, account: { discount } }) => ({
        auto_groups: ['default'],
        data: listed.map(pricedModel),
        // The discount of the account is the ratio of its group.
        group_ratio: { default: discount },
        pricing_version: 'greenroom-1',
        success: true,
        supported_endpoint: endpoints,
        usable_group: { default: 'default' },
        vendors: [],
      }),
    }),
  },
} as const satisfies ApiDefinition

export const modelsApi = defineJobs(models, {
  description:
    "Models and prices. A native key selects the form of the native API, `x-api-key` with `anthropic-version` that of Anthropic's.",
  keys: [...nativeKeyPlaces, messagesKeyPlace],
  credential: readModelsKey,
  unimplemented: /^DELETE \/v1\/models\/[^/]+$/,
  // Only models are served there.
  folders: [['/v1beta/openai/', '/v1/']],
  instead: [
    [
      /^\/api\/(?:user|token|usage|status|log|task|mj|channel|group|option|data)(?:\/|$)/,
      `The gateway's administration is not offered. Prices are listed by GET /api/pricing (models.prices). ${handlers}`,
    ],
  ],
})
