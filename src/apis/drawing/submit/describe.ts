import { defaultVersion, describeImage, drawPhoto } from '../composition.ts'
import { receiveDrawingImage, requireImages } from '../images.ts'
import { invalidDrawing } from '../refusals.ts'
import { identityOfPhoto } from '../../painting/photos.ts'
import { submission } from './submission.ts'
import { optionalImage, submissionForm } from './form.ts'

const form = submissionForm(
  'DescribeRequest',
  'Describe an image.',
  () => ({ base64: optionalImage(), link: optionalImage() }),
  { anyOf: [{ required: ['base64'] }, { required: ['link'] }] },
)

/**
 * Image to text (§4.6).
 * @assumed §4.6 the payload is undocumented; wire §7.3.
 */
export const describe = submission('submit', {
  path: 'describe',
  summary: 'Describe an image',
  form,
  action: () => 'DESCRIBE',
  prepare: async ({ base64, link, ...rest }, { media, settings }) => {
    const sent = base64 || link
    if (!sent) return { prepared: [], fields: rest }
    const image = await receiveDrawingImage(sent, media, settings.imageLimitBytes)
    return { prepared: [image], fields: { ...rest, base64: identityOfPhoto(image) } }
  },
  make: ({ images: received }) => {
    if (received.length === 0)
      throw invalidDrawing('noImage', 'Send the picture in base64, as a data URL or bare.')
    requireImages(received)
    return {
      prompt: '',
      version: defaultVersion,
      result: (seed, [image]) => ({
        kind: 'describe',
        drawing: drawPhoto(image!),
        prompts: describeImage(image!, seed),
      }),
    }
  },
})
