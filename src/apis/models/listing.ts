import { textSettings } from '../text/settings.ts'
import { jsonHeaders, jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import { messagesKey } from '../text/anthropic/key.ts'
import { refuseMessage, requestIdHeader } from '../text/anthropic/refuse.ts'
import { nativeList, nativeModel, modelPageForm, requireNative } from '../text/native/models.ts'
import { modelOf, nativeCredential, upstreamWords } from '../text/native/request.ts'
import { refuseNative, nativeReply } from '../text/native/refuse.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { guardFor } from '../text/fields.ts'
import { createdAt, openaiModel, requireListed } from './catalog.ts'
import { isFor, type ListedModel } from '../define/catalog.ts'

/**
 * Lists the models. Below `/v1`, three APIs have the same paths. The headers of Anthropic's clients select their listing, a
 * native key the native one. Below `/v1beta/openai`, a native key also gives OpenAI's listing.
 *
 * @assumed §8 the form of the listing is undocumented; wire §8.1 and §9.3.
 */
export const modelsList = defineOperation(
  {
    name: 'models.list',
    summary: 'List models',
    role: 'list',
    route: 'GET /v1/models',
    aliases: ['/v1beta/openai/models'],
    form: modelPageForm,
  },
  (core: Core) => {
    const { catalog } = core.use(textSettings)
    const { isNative, ...shared } = severalApis()
    return {
      ...shared,
      guard: guardFor(upstreamWords(400)),
      parse: (x, page) => (isNative(x) ? page : undefined),
      respond: (x, page) => {
        if (page) return nativeReply(nativeList(core, page, x.key))
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
    summary: 'Get a model',
    role: 'read',
    route: 'GET /v1/models/{model}',
    aliases: ['/v1beta/openai/models/{model}'],
  },
  (core: Core) => {
    const { catalog } = core.use(textSettings)
    const { isNative, ...shared } = severalApis()

    return {
      ...shared,
      describe: (x) => ({ model: modelOf(x) }),
      parse: (x) => {
        if (isNative(x)) return nativeReply(nativeModel(requireNative(catalog, modelOf(x))))
        const model = requireListed(catalog, modelOf(x))
        if (isAnthropic(x)) return anthropicReply(x, anthropicModel(model))
        return jsonReply(200, openaiModel(model))
      },
      respond: (_x, reply) => reply,
    }
  },
)

/** Reads the key from where clients of the selected API send it. */
export function modelsCredential(): (x: Exchange) => string | undefined {
  const nativeKey = nativeCredential()
  return (x) => (isAnthropic(x) ? messagesKey(x) : undefined) ?? nativeKey(x)
}

function severalApis(): Pick<Route, 'refuse'> & { isNative: (x: Exchange) => boolean } {
  const nativeKey = nativeCredential()
  const isNative = (x: Exchange): boolean =>
    !x.path.startsWith('/v1beta/openai/') && !isAnthropic(x) && nativeKey(x) !== undefined
  return {
    isNative,
    refuse: (error, x) => {
      if (isAnthropic(x)) return refuseMessage(error, x)
      return isNative(x) ? refuseNative(error, x) : error.reply(x.entry.requestId)
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
