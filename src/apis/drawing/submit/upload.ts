import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { prepareImageList, requireImages, uploadFolder, uploadName } from '../images.ts'
import { invalidDrawing } from '../refusals.ts'
import { contentType, defineSubmission } from './submission.ts'

/**
 * Stores images for prompts. The response contains their URLs, and no task is created.
 * @assumed §4.6 it is undocumented; wire §7.5.
 */
export const mjUpload = defineSubmission(
  { name: 'mj.upload', ...drawingFacts('change', 'POST /mj/submit/upload-discord-images') },
  (deps: ApiDeps) => ({
    action: 'UPLOAD',
    prepare: (body, media) =>
      prepareImageList(body, 'base64Array', media, deps.use(drawingSettings).imageLimitBytes),
    parse: ({ prepared }) => {
      if (prepared.length === 0) throw invalidDrawing('noImage', 'Send the pictures in base64Array.')
      return requireImages(prepared)
    },
    respond: ({ origin, namespace }, images) => {
      const result = images.map(({ digest, url }) =>
        digest === undefined ? url : origin + uploadFolder + uploadName(digest, namespace.shardTag),
      )
      return jsonReply(200, { code: 1, description: 'success', result }, contentType(deps.quirks))
    },
  }),
)
