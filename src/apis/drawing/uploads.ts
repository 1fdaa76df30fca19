import { mapMaybePromise } from '../../engine/maybe-promise.ts'
import { cachedForADay } from '../../gateway/replies/headers.ts'
import { receive } from '../jobs/compose/composed.ts'
import { SentMedia } from '../jobs/kit/answer.ts'
import { answer, call } from '../jobs/kit/operations.ts'
import { imageTypes } from '../jobs/replies/download.ts'
import {
  digestOfUpload,
  maxImages,
  prepareImageList,
  requireImages,
  uploadFolder,
  uploadName,
} from './images.ts'
import { routeOf } from './lifecycle.ts'
import { invalidDrawing, unknownImage } from './refusals.ts'
import { modelOf } from './result.ts'
import { images, submissionForm } from './submit/form.ts'
import { commonParts, identityFields } from './submit/submission.ts'

const form = submissionForm('UploadRequest', 'Store images.', () => ({
  base64Array: images({ minItems: 1, maxItems: maxImages }),
}))

/**
 * Stores images for prompts. The response contains their URLs, and no task is created.
 * @assumed §4.6 uploads are undocumented; wire §7.5.
 */
export const upload = receive({
  ...routeOf('POST /mj/submit/upload-discord-images'),
  ...commonParts,
  summary: 'Store images',
  body: form,
  prepare: (body, how) =>
    mapMaybePromise(prepareImageList(body, how), ({ prepared, fields }) => ({
      prepared,
      fields: identityFields(fields, how.path),
    })),
  reads: ({ body }) => ({ model: modelOf('UPLOAD'), prompt: body['prompt'] }),
  reply: ({ images: received, origin, shardTag }) => {
    if (received.length === 0) throw invalidDrawing('noImage', 'Send the pictures in base64Array.')
    const result = requireImages(received).map(({ digest, url }) =>
      digest === undefined ? url : origin + uploadFolder + uploadName(digest, shardTag),
    )
    return { code: 1, description: 'success', result }
  },
})

/**
 * An uploaded image.
 * @assumed §2.4 the URL of uploads is undocumented; wire §7.5.
 */
export const uploaded = call({
  route: 'GET HEAD /mj/uploaded/{file}',
  summary: 'Download a stored image',
  isPublic: true,
  sends: imageTypes,
  reply: ({ params }) => {
    const digest = digestOfUpload(params['file']!)
    if (digest === undefined) throw unknownImage()
    const failed = { status: 400, body: JSON.stringify({ error: 'midjourney_task_not_found' }) }
    // The bytes come from a client, so no browser may guess another media type.
    const headers = { ...cachedForADay, 'X-Content-Type-Options': 'nosniff' }
    return answer(200, new SentMedia({ kind: 'received', digest }, failed), headers)
  },
})
