import type { Core } from '../../../gateway/core.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { defaultVersion, describeImage, drawPhoto } from '../composition.ts'
import { receiveDrawingImage, requireImages, withDrawing } from '../images.ts'
import { invalidDrawing } from '../refusals.ts'
import { identityOfPhoto } from '../../painting/photos.ts'
import { defineSubmission } from './submission.ts'
import { optionalImage, submissionForm } from './form.ts'

const form = submissionForm(
  'DescribeRequest',
  'Describe an image.',
  () => ({ base64: optionalImage(), link: optionalImage() }),
  { anyOf: [{ required: ['base64'] }, { required: ['link'] }] },
)

/** Image to text (§4.6). */
export const mjDescribe = defineSubmission(
  {
    name: 'mj.describe',
    summary: 'Describe an image',
    ...drawingFacts('submit', 'POST /mj/submit/describe'),
    form,
  },
  (core: Core) => ({
    action: 'DESCRIBE',
    prepare: async ({ base64, link, ...rest }, media) => {
      const sent = base64 || link
      if (!sent) return { prepared: undefined, fields: rest }
      const image = await receiveDrawingImage(sent, media, core.use(drawingSettings).imageLimitBytes)
      return { prepared: image, fields: { ...rest, base64: identityOfPhoto(image) } }
    },
    /** @assumed §4.6 the payload is undocumented; wire §7.3. */
    parse: ({ prepared: image }) => {
      if (!image) throw invalidDrawing('noImage', 'Send the picture in base64, as a data URL or bare.')
      return requireImages([image])[0]!
    },
    respond: (x, sent) => {
      const image = withDrawing(sent, x)
      return {
        prompt: '',
        version: defaultVersion,
        result: (seed) => ({
          kind: 'describe',
          drawing: drawPhoto(image),
          prompts: describeImage(image, seed),
        }),
      }
    },
  }),
)
