import { textSettings } from '../text/settings.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import type { TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { requireModel, requireModelName } from '../models/catalog.ts'
import type { ApiDeps, Behaviour } from '../define/operation.ts'
import { checkLength, Fields, guardFor } from '../text/fields.ts'
import { prepareImages, type ReceivedImages } from '../text/prepare.ts'
import { imageTexts } from './content.ts'
import { defineMessages, isStrictVersion } from './messages-operation.ts'
import { requestIdHeader, upstreamWords } from './refuse.ts'
import { readPrompt } from './request.ts'

/**
 * Counts the input tokens that a message would be charged for.
 * @assumed §4.9 counting is undocumented; `MessageTokensCount` of the vendor's SDK.
 */
export const messagesCountTokens = defineMessages(
  { name: 'messages.count-tokens', role: 'read', route: 'POST /v1/messages/count_tokens' },
  (deps: ApiDeps): Behaviour<ReceivedImages, TextRequest> => {
    const { catalog, imageLimitBytes, messageLimit, textLimitCharacters } = deps.use(textSettings)
    const guard = guardFor(deps.quirks, upstreamWords(400))
    return {
      prepare: (body, media) => prepareImages(body, imageTexts(body['messages']), media, imageLimitBytes),
      parse: (x) => {
        const model = requireModelName(x.body['model'])
        requireModel(catalog, model, 'text')
        return guard(() => {
          const how = { messageLimit, isStrict: isStrictVersion(x) }
          const { request } = readPrompt(new Fields(x.body as never, ''), model, x.prepared, how)
          checkLength(request, textLimitCharacters)
          return request
        })
      },
      respond: (x, request) => ({
        status: 200,
        headers: { ...jsonHeaders, ...requestIdHeader(x) },
        body: JSON.stringify({ input_tokens: guard(() => countPromptTokens(request, x.work)).total }),
        delayMs: 0,
      }),
    }
  },
)
