import type { Billing } from '../../gateway/billing.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Incoming } from '../../gateway/incoming.ts'
import { jsonReply } from '../../gateway/reply.ts'
import { defineRoute, type Route } from '../../gateway/route.ts'
import { nativeCredential } from '../native-text/credential.ts'
import { modelOf } from '../native-text/describe.ts'
import { nativeList, nativeModel, readPage } from '../native-text/models.ts'
import { nativeReply } from '../native-text/native-reply.ts'
import { upstreamWords } from '../native-text/native-route.ts'
import { readingFor } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { isFor } from './catalog.ts'
import { openaiModel } from './listing.ts'
import { pricingRoute } from './pricing.ts'

/**
 * The models there are, and what they cost. Below `/v1` both dialects have the same addresses: whoever brings a native
 * key gets the native listing.
 *
 * @assumed §8 the form of the listing is not shown; wire §9.3.
 */
export function modelRoutes(settings: TextSurfaceSettings, billing: Billing): Route[] {
  const { catalog, nativeKeyHeaders, quirks } = settings
  const credential = nativeCredential(nativeKeyHeaders)
  const reading = readingFor(quirks, upstreamWords(400))
  const isNative = (incoming: Incoming, query: string): boolean => credential(incoming, query) !== ''
  return [
    defineRoute({
      operation: 'models.list',
      methods: ['GET'],
      path: '/v1/models',
      aliases: ['/v1beta/openai/models'],
      credential,
      validate: ({ incoming, query }) =>
        isNative(incoming, query) ? reading(() => readPage(new URLSearchParams(query))) : undefined,
      respond: (page, { key }) => {
        if (page) return nativeReply(nativeList(settings, page, key))
        const data = catalog.listed.filter((model) => isFor(key, model)).map(openaiModel)
        return jsonReply(200, { data, object: 'list', success: true })
      },
    }),
    defineRoute({
      operation: 'models.get',
      methods: ['GET'],
      path: '/v1/models/{model}',
      aliases: ['/v1beta/openai/models/{model}'],
      credential,
      describe: (_body, _task, params) => ({ model: modelOf(params) }),
      validate: ({ params }) => {
        const model = catalog.listed.find(({ name }) => name === modelOf(params))
        if (!model) throw unknownModel(modelOf(params), quirks.modelsUnknownStatus)
        return model
      },
      respond: (model, { request: { incoming, query } }) =>
        isNative(incoming, query)
          ? nativeReply(nativeModel(settings, model))
          : jsonReply(200, openaiModel(model)),
    }),
    pricingRoute(catalog, billing),
  ]
}

/** @assumed §7 the answer to an unknown model is not shown; wire §9.3: the gateway really says 200. */
function unknownModel(model: string, status: number): GatewayError {
  const message = `The model '${model.slice(0, 200)}' does not exist`
  return new GatewayError(status, message, () => ({
    error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  }))
}
