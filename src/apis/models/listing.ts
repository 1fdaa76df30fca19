import { textSettings } from '../text/settings.ts'
import { jsonHeaders, jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import { messagesKey } from '../messages/messages-operation.ts'
import { refuseMessage, requestIdHeader } from '../messages/refuse.ts'
import { nativeList, nativeModel, nativeReply, readPage, requireNative } from '../native-text/models.ts'
import { modelOf, nativeCredential, upstreamWords } from '../native-text/native-operation.ts'
import { nativeRefusal } from '../native-text/refuse.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { guardFor } from '../text/fields.ts'
import { createdAt, isFor, openaiModel, requireListed, type ListedModel } from './catalog.ts'

/**
 * Lists the models. Below `/v1`, three APIs have the same paths. The headers of Anthropic's clients select their listing, a
 * native key the native one. Below `/v1beta/openai`, a native key also gives OpenAI's listing.
 *
 * @assumed §8 the form of the listing is undocumented; wire §8.1 and §9.3.
 */
export const modelsList = defineOperation(
  { name: 'models.list', role: 'list', route: 'GET /v1/models', aliases: ['/v1beta/openai/models'] },
  (deps: ApiDeps) => {
    const { catalog } = deps.use(textSettings)
    const { isNative, ...shared } = severalApis(deps)
    const guard = guardFor(deps.quirks, upstreamWords(400))

    return {
      ...shared,
      parse: (x) => (isNative(x) ? guard(() => readPage(new URLSearchParams(x.query))) : undefined),
      respond: (x, page) => {
        if (page) return nativeReply(nativeList(deps, page, x.key))
        const models = catalog.listed.filter((model) => isFor(x.key, model))
        if (isAnthropic(x)) return anthropicReply(x, anthropicList(models))
        return jsonReply(200, { data: models.map(openaiModel), object: 'list', success: true })
      },
    }
  },
)

/** One model, in the form of each API. */
export const modelsGet = defineOperation(
  {
    name: 'models.get',
    role: 'read',
    route: 'GET /v1/models/{model}',
    aliases: ['/v1beta/openai/models/{model}'],
  },
  (deps: ApiDeps) => {
    const { catalog } = deps.use(textSettings)
    const { isNative, ...shared } = severalApis(deps)

    return {
      ...shared,
      describe: (x) => ({ model: modelOf(x) }),
      parse: (x) => {
        if (isNative(x)) return nativeReply(nativeModel(deps.quirks, requireNative(catalog, modelOf(x))))
        const model = requireListed(catalog, modelOf(x), deps.quirks)
        if (isAnthropic(x)) return anthropicReply(x, anthropicModel(model))
        return jsonReply(200, openaiModel(model))
      },
      respond: (_x, reply) => reply,
    }
  },
)

function severalApis({ use, quirks }: ApiDeps): Pick<Route, 'credential' | 'refuse'> & {
  isNative: (x: Exchange) => boolean
} {
  const nativeKey = nativeCredential(use(textSettings).nativeKeyHeaders)
  const isNative = (x: Exchange): boolean =>
    !x.path.startsWith('/v1beta/openai/') && !isAnthropic(x) && nativeKey(x) !== ''
  const nativeRefuse = nativeRefusal(quirks)
  return {
    isNative,
    credential: (x) => (isAnthropic(x) && messagesKey(x)) || nativeKey(x),
    refuse: (error, x) => {
      if (isAnthropic(x)) return refuseMessage(error, x)
      return isNative(x) ? nativeRefuse(error, x) : error.reply(x.entry.requestId)
    },
  }
}

/**
 * Whether a client of Anthropic's API asks: its version says so, since the key is in either header.
 * @assumed §8 the listing for these clients is undocumented; wire §9.3 selects it by x-api-key and the version, but the
 * vendor's SDK sends its key as `Authorization` since version 1.
 */
function isAnthropic(x: Exchange): boolean {
  return x.path.startsWith('/v1/') && x.header('anthropic-version') !== ''
}

function anthropicReply(x: Exchange, body: object): Reply {
  return jsonReply(200, body, { ...jsonHeaders, ...requestIdHeader(x) })
}

/** All models as one page. */
function anthropicList(models: readonly ListedModel[]): object {
  return {
    data: models.map(anthropicModel),
    first_id: models[0]?.name ?? null,
    has_more: false,
    last_id: models.at(-1)?.name ?? null,
  }
}

/**
 * A model in the form of Anthropic's API.
 * @assumed §8 all fields but the first four are undocumented; `ModelInfo` of the vendor's SDK.
 */
function anthropicModel({ name }: ListedModel): object {
  const created = new Date(createdAt * 1_000).toISOString().replace('.000', '')
  return {
    id: name,
    created_at: created,
    display_name: name,
    type: 'model',
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: null,
    max_tokens: null,
    retires_at: null,
  }
}
