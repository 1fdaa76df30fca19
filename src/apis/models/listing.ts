import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import { nativeList, nativeModel, nativeReply, readPage, requireNative } from '../native-text/models.ts'
import { modelOf, nativeCredential, upstreamWords } from '../native-text/native-operation.ts'
import { nativeRefusal } from '../native-text/refuse.ts'
import { defineOperation, type ApiDeps } from '../operation.ts'
import { guardFor } from '../text/fields.ts'
import { isFor, openaiModel, requireListed } from './catalog.ts'

/**
 * The models. Below `/v1` both APIs have the same paths, and a native key selects the native listing; below
 * `/v1beta/openai` a native key opens the other one.
 *
 * @assumed §8 the form of the listing is undocumented; wire §8.1 and §9.3.
 */
export function modelsList(deps: ApiDeps): Route {
  const { catalog } = deps.text
  const { isNative, ...shared } = eitherApi(deps)
  const guard = guardFor(deps.quirks, upstreamWords(400))
  return defineOperation('models.list', {
    ...shared,
    parse: (x) => (isNative(x) ? guard(() => readPage(new URLSearchParams(x.query))) : undefined),
    respond: ({ key }, page) => {
      if (page) return nativeReply(nativeList(deps, page, key))
      const data = catalog.listed.filter((model) => isFor(key, model)).map(openaiModel)
      return jsonReply(200, { data, object: 'list', success: true })
    },
  })
}

/** One model, in the form of either API. */
export function modelsGet(deps: ApiDeps): Route {
  const { catalog } = deps.text
  const { isNative, ...shared } = eitherApi(deps)
  return defineOperation('models.get', {
    ...shared,
    describe: (x) => ({ model: modelOf(x) }),
    parse: (x) =>
      isNative(x)
        ? nativeReply(nativeModel(deps.quirks, requireNative(catalog, modelOf(x))))
        : jsonReply(200, openaiModel(requireListed(catalog, modelOf(x), deps.quirks))),
    respond: (_x, reply) => reply,
  })
}

function eitherApi({ text, quirks }: ApiDeps): Pick<Route, 'credential' | 'refuse'> & {
  isNative: (x: Exchange) => boolean
} {
  const credential = nativeCredential(text.nativeKeyHeaders)
  const isNative = (x: Exchange): boolean => !x.path.startsWith('/v1beta/openai/') && credential(x) !== ''
  const nativeRefuse = nativeRefusal(quirks)
  return {
    isNative,
    credential,
    refuse: (error, x) => (isNative(x) ? nativeRefuse(error, x) : error.reply(x.entry.requestId)),
  }
}
