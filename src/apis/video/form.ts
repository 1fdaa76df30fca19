import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named, refusing } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { modelName, orJsonText } from '../define/operation-schema.ts'
import { constrain, integer } from '../../scenario/schema/json-values.ts'
import { maxImages } from '../jobs/request/images.ts'
import { refuseField } from '../jobs/kit/refused.ts'
import { sizeProblem } from '../jobs/request/read-job.ts'

/** More than real requests have. They are stored with the task. */
export const maxMetadataValues = 1_000

/** Why an image is refused. */
export const imageSentence = '{field} must be a string: an address, a data URL or base64'
const image = once(() => z.string(imageSentence))
const images = once(() =>
  z.array(image()).check(
    z.maxLength(maxImages, {
      error: ({ input }) =>
        `{field} has ${(input as unknown[]).length} pictures, at most ${maxImages} are taken`,
    }),
  ),
)
const oneOrMore = once(() => z.union([image(), images()], imageSentence))
const resolution = once(() =>
  z.union([z.string(), integer], 'metadata.resolution must be a string: write it as "720p"'),
)
const aspectRatio = once(() => z.string('metadata.aspect_ratio must be a string: write it as "16:9"'))

const metadata = once(() =>
  z
    .looseObject(
      {
        seed: z.optional(z.unknown()),
        resolution: z.optional(resolution()),
        aspect_ratio: z.optional(aspectRatio()),
      },
      '{field} must be an object, or a JSON-encoded string of one',
    )
    .check(
      refusing((value) =>
        hasMoreThan(value, maxMetadataValues)
          ? `metadata has more than ${maxMetadataValues} values`
          : undefined,
      ),
    ),
)

/** A request for a video. Of several mistakes, the first in this order is refused. */
export const videoForm = defineForm(
  () =>
    named(
      'VideoRequest',
      z.object({
        model: must(modelName, 'The name of the model.', 'video-1'),
        prompt: must(
          z
            .string({
              error: ({ input }) => (input == null ? 'prompt is required' : 'field prompt must be a string'),
            })
            .check(z.regex(/\S/, 'prompt is required')),
          'What is to be seen.',
          'a paper boat in the rain',
        ),
        metadata: may(
          orJsonText(metadata()),
          'More fields, which come before those of the request, as an object or as JSON.',
        ),
        image: may(oneOrMore(), 'An image to begin with: a URL, a data URL or base64. A form may repeat it.'),
        images: may(oneOrMore(), 'Several images.'),
        input_reference: may(oneOrMore(), 'Another name of `image`.'),
        duration: may(
          z.union(
            [constrain(integer, { minimum: 0 }), z.string()],
            'field duration must be a whole number of seconds',
          ),
          'The length in seconds; 0 is the default, and so is a text that is no number.',
          5,
        ),
        seconds: may(
          z.string('field seconds must be a string'),
          'The length in seconds, as a text; another text is the default. Not read next to `duration`.',
          '5',
        ),
        resolution: may(resolution(), 'Such as 720p. `size` comes first.'),
        aspect_ratio: may(aspectRatio(), 'Such as 16:9. `size` comes first.'),
        size: may(
          z.string({ error: ({ input }) => sizeProblem(input) }),
          'WIDTHxHEIGHT, a resolution or an aspect ratio.',
          '1280x720',
        ),
      }),
      'A request for a video.',
    ),
  refuseField,
  { takesMultipart: true },
)

export type VideoBody = z.output<typeof videoForm.schema>

/** Whether a value contains more than `max` values. Stops counting at that number. */
function hasMoreThan(value: unknown, max: number): boolean {
  const open: unknown[] = [value]
  for (let count = 0; open.length > 0; count++) {
    if (count > max) return true
    const each = open.pop()
    if (typeof each !== 'object' || each === null) continue
    for (const name in each) {
      if (open.length > max) return true
      open.push((each as Readonly<Record<string, unknown>>)[name])
    }
  }
  return false
}
