import type { Core } from '../../gateway/core.ts'
import { guardFor } from '../text/fields.ts'
import { modelPageForm, nativeList, nativeModel, requireNative } from '../text/native/models.ts'
import { nativeReply } from '../text/native/refuse.ts'
import { modelOf, upstreamWords } from '../text/native/request.ts'
import { textSettings } from '../text/settings.ts'
import { defineNative } from './native-operation.ts'

/**
 * The models for texts and embeddings.
 * @assumed §8 the form of the listing is undocumented; wire §8.5.
 */
export const textModels = defineNative(
  {
    name: 'text.models',
    summary: 'List models',
    role: 'list',
    route: 'GET /v1beta/models',
    form: modelPageForm,
  },
  (core: Core) => ({
    guard: guardFor(upstreamWords(400)),
    parse: (_x, page) => page,
    respond: ({ key }, page) => nativeReply(nativeList(core, page, key)),
  }),
)

/** One model. */
export const textModel = defineNative(
  {
    name: 'text.model',
    summary: 'Get a model',
    role: 'read',
    route: 'GET /v1beta/models/{model}',
    aliases: ['/v1beta/models/models/{model}'],
  },
  (core: Core) => ({
    parse: (x) => requireNative(core.use(textSettings).catalog, modelOf(x)),
    respond: (_x, model) => nativeReply(nativeModel(model)),
  }),
)
