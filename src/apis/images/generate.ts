import { textSettings } from '../text/settings.ts'
import { defineOperation, type ApiDeps, type Behaviour } from '../define/operation.ts'
import { readImageRequest, type ImageRequest } from './request.ts'
import { imageBehaviour, respondWithImages } from './respond.ts'

/**
 * Images of a prompt, in the form of OpenAI's API.
 * @assumed §4.6 this protocol is undocumented; request and response are those of OpenAI's SDK.
 */
export const imagesGenerate = defineOperation(
  { name: 'images.generate', role: 'text', images: 'only', route: 'POST /v1/images/generations' },
  (deps: ApiDeps): Behaviour<undefined, ImageRequest> => {
    const { catalog, promptDirectives } = deps.use(textSettings)
    return {
      ...imageBehaviour(deps),
      prepare: (body) => ({ prepared: undefined, fields: body }),
      parse: (x) => readImageRequest(x, catalog, promptDirectives),
      respond: (x, request) =>
        respondWithImages('image_generation', request, { photos: [], mask: undefined }, x, deps),
    }
  },
)
