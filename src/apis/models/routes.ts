import type { Billing } from '../../gateway/accounts/billing.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type { GatewayRequest } from '../../gateway/request.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { nativeCredential } from '../native-text/credential.ts'
import { modelOf } from '../native-text/describe.ts'
import { nativeList, nativeModel, readPage, requireNative } from '../native-text/models.ts'
import { nativeReply } from '../native-text/native-reply.ts'
import { upstreamWords } from '../native-text/native-route.ts'
import { nativeRefusal } from '../native-text/refuse.ts'
import { readingFor } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { isFor, type Catalog, type ListedModel } from './catalog.ts'
import { openaiModel } from './listing.ts'
import { pricingRoute } from './pricing.ts'

/**
 * The models there are, and what they cost. Below `/v1` both dialects have the same paths: a request with a native key
 * gets the native listing. Below `/v1beta/openai` a native key opens the other one.
 *
 * @assumed §8 the form of the listing is not shown; wire §8.1 and §9.3.
 */
export function modelRoutes(settings: TextSurfaceSettings, billing: Billing): Route[] {
  const { catalog, nativeKeyHeaders, quirks } = settings
  const credential = nativeCredential(nativeKeyHeaders)
  const isNative = (incoming: GatewayRequest, query: string): boolean =>
    !/^[^?]*\/v1beta\/openai\//.test(incoming.target) && credential(incoming, query) !== ''
  const reading = readingFor(quirks, upstreamWords(400))
  const refusal = nativeRefusal(quirks)
  const both: Pick<Route, 'credential' | 'refuse'> = {
    credential,
    refuse: (error, id, asked) =>
      isNative(asked.incoming, asked.query) ? refusal(error, id, asked) : error.reply(id),
  }
  return [
    defineOperation('models.list', {
      ...both,
      validate: ({ incoming, query }) =>
        isNative(incoming, query) ? reading(() => readPage(new URLSearchParams(query))) : undefined,
      respond: (page, { key }) => {
        if (page) return nativeReply(nativeList(settings, page, key))
        const data = catalog.listed.filter((model) => isFor(key, model)).map(openaiModel)
        return jsonReply(200, { data, object: 'list', success: true })
      },
    }),
    defineOperation('models.get', {
      ...both,
      describe: (_body, _task, params) => ({ model: modelOf(params) }),
      validate: ({ incoming, query, params }) =>
        isNative(incoming, query)
          ? requireNative(catalog, modelOf(params))
          : requireListed(catalog, modelOf(params), quirks.modelsUnknownStatus),
      respond: (model, { request: { incoming, query } }) =>
        isNative(incoming, query)
          ? nativeReply(nativeModel(settings, model))
          : jsonReply(200, openaiModel(model)),
    }),
    pricingRoute(catalog, billing),
  ]
}

/** @assumed §7 the answer to an unknown model is not shown; wire §9.3: the gateway really says 200. */
function requireListed({ listed }: Catalog, model: string, status: number): ListedModel {
  const known = listed.find(({ name }) => name === model)
  if (known) return known
  const message = `The model '${model.slice(0, 200)}' does not exist`
  throw new GatewayError(status, message, () => ({
    error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  }))
}
