import { isFor, modelCatalog } from '../define/catalog.ts'
import type { Core } from '../../gateway/core.ts'
import { modelPageForm, nativeList, nativeModel, requireNative } from '../text/native/models.ts'
import { nativeReply } from '../text/native/refuse.ts'
import { modelOf } from '../text/native/request.ts'
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
  ({ use }: Core) => ({
    parse: (_x, page) => page,
    respond: ({ key }, page) =>
      nativeReply(
        nativeList(
          use(modelCatalog).listed.filter((model) => isFor(key, model)),
          page,
        ),
      ),
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
  ({ use }: Core) => ({
    parse: (x) => requireNative(use(modelCatalog).listed, modelOf(x)),
    respond: (_x, model) => nativeReply(nativeModel(model)),
  }),
)
