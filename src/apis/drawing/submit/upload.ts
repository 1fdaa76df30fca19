import { jsonReply } from '../../../gateway/replies/reply.ts'
import type { Core } from '../../../gateway/core.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { maxImages, prepareImageList, requireImages, uploadFolder, uploadName } from '../images.ts'
import { invalidDrawing } from '../refusals.ts'
import { contentType, defineSubmission } from './submission.ts'
import { images, submissionForm } from './form.ts'

const form = submissionForm('UploadRequest', 'Store images.', () => ({
  base64Array: images({ minItems: 1, maxItems: maxImages }),
}))

/**
 * Stores images for prompts. The response contains their URLs, and no task is created.
 * @assumed §4.6 uploads are undocumented; wire §7.5.
 */
export const mjUpload = defineSubmission(
  {
    name: 'mj.upload',
    summary: 'Store images',
    ...drawingFacts('change', 'POST /mj/submit/upload-discord-images'),
    form,
  },
  (core: Core) => ({
    action: 'UPLOAD',
    prepare: (body, media) => prepareImageList(body, media, core.use(drawingSettings).imageLimitBytes),
    parse: ({ prepared }) => {
      if (prepared.length === 0) throw invalidDrawing('noImage', 'Send the pictures in base64Array.')
      return requireImages(prepared)
    },
    respond: ({ origin, namespace }, images) => {
      const result = images.map(({ digest, url }) =>
        digest === undefined ? url : origin + uploadFolder + uploadName(digest, namespace.shardTag),
      )
      return jsonReply(200, { code: 1, description: 'success', result }, contentType(core.quirks))
    },
  }),
)
