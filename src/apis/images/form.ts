import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import type { Misfit } from '../define/form.ts'
import { modelName } from '../define/operation-schema.ts'
import { constrain, integer, integers, withDefault, words } from '../../scenario/schema/json-values.ts'
import { maxImages, maxPromptLength, maxSide, minSide } from './model-family.ts'
import { invalidField, missing, unsupported } from './refusals.ts'

const formats = ['png', 'jpeg', 'webp'] as const
const qualities = ['low', 'medium', 'high', 'xhigh', 'max', 'auto', 'standard', 'hd'] as const
export const maxPartialImages = 3
/** As many as the protocol takes. They are decoded before the request is checked. */
export const maxEditedImages = 16

/** Of several mistakes, the first in this order is refused. Some models have limits of their own. */
const fields = once(() => ({
  model: must(modelName, 'The name of the model. Those of OpenAI have limits of their own.', 'gpt-image-1'),
  prompt: must(
    constrain(words, { maxLength: maxPromptLength }),
    'What is to be seen.',
    'a red fox in the snow',
  ),
  output_format: withDefault(z.enum(formats), 'png', 'Default png.'),
  stream: withDefault(z.boolean(), false, 'Whether the images come as events.'),
  partial_images: withDefault(integers(0, maxPartialImages), 0, 'Unfinished images of a stream. Default 0.'),
  user: may(z.string(), 'Without effect.'),
  moderation: may(z.enum(['low', 'auto']), 'Without effect.'),
  style: may(z.enum(['vivid', 'natural']), 'Without effect.'),
  input_fidelity: may(z.enum(['high', 'low']), 'Without effect.'),
  response_format: may(
    z.enum(['url', 'b64_json']),
    'Default url. Models named gpt-image give base64 only, and refuse this field.',
  ),
  n: withDefault(
    constrain(integer.check(z.minimum(1)), { maximum: maxImages }),
    1,
    'How many images. Default 1.',
  ),
  size: may(
    z.string(),
    `\`auto\`, or WIDTHxHEIGHT with sides of ${minSide} to ${maxSide} pixels, at most three to one.`,
    '1024x1024',
  ),
  quality: withDefault(
    z.enum(qualities),
    'auto',
    'How many tokens an image takes. Default auto, which is medium.',
  ),
  background: may(z.enum(['transparent', 'opaque', 'auto']), 'Default opaque.'),
  output_compression: withDefault(integers(0, 100), 100, 'The quality of jpeg and webp. Default 100.'),
}))

/** Combinations of fields that are refused. */
const excluded = [
  {
    not: { properties: { output_format: { enum: ['jpeg', 'webp'] } }, required: ['output_format'] },
    properties: { output_compression: { not: { const: 100 } } },
    required: ['output_compression'],
  },
  {
    properties: { background: { const: 'transparent' }, output_format: { const: 'jpeg' } },
    required: ['background', 'output_format'],
  },
  {
    properties: { stream: { const: true }, response_format: { const: 'url' } },
    required: ['stream', 'response_format'],
  },
]
const having = (name: string): object => ({ properties: { [name]: {} }, required: [name] })
const withoutImage = { not: { anyOf: [having('image'), having('images')] } }

const sentence = 'it is not a text'
const text = once(() => z.string(sentence))
/** In JSON, an object with the URL of the image. Files can't be uploaded, so their ids name nothing. */
const image = once(() =>
  z.union([text(), z.object({ image_url: z.optional(text()), file_id: z.optional(text()) })], sentence),
)
const images = once(() =>
  constrain(z.array(image()).check(z.minLength(1, 'the list is empty')), {
    maxItems: maxEditedImages,
  }),
)
const kinds = 'a data URL, base64 or a URL'
const given = once(() =>
  may(
    z.union([image(), images()], sentence),
    `Images, each ${kinds}. Forms have \`image\`, JSON \`images\`.`,
  ),
)

const imageRequest = once(() =>
  named(
    'ImageRequest',
    constrain(z.object(fields()), { not: { anyOf: excluded } }),
    'A request for images. A field that is null counts as missing.',
  ),
)
const editRequest = once(() =>
  named(
    'ImageEditRequest',
    constrain(
      z.object({
        ...fields(),
        image: given(),
        images: given(),
        mask: may(image(), 'An image of the same size. Its transparent parts are painted.'),
      }),
      { not: { anyOf: [...excluded, withoutImage] } },
    ),
    'A request to change images.',
  ),
)

export type ImageBody = z.output<ReturnType<typeof imageRequest>>

export const imageForm = defineForm(imageRequest, refuse, { takesMultipart: true })
export const editForm = defineForm(editRequest, refuse, { takesMultipart: true })

function refuse({ field, value, issue, sentence }: Misfit): Error {
  const place = field.replace(/\.image_url$|\.file_id$/, '')
  if (sentence !== undefined)
    return invalidField(place, 'invalid_image_file', `Invalid image file for '${place}': ${sentence}.`)
  if (value === undefined || value === null || issue.code === 'invalid_format') return missing(field)
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(field, issue.expected, typeName(value))
    case 'not_multiple_of':
      return wrongType(field, 'number', 'a decimal number')
    case 'invalid_value':
      return typeof value === 'string'
        ? unsupported(field, value, issue.values as string[])
        : wrongType(field, 'string', typeName(value))
    case 'too_small':
      return outside(field, `below minimum value. Expected a value >= ${issue.minimum}`, value)
    default:
      return aboveMaximum(field, value, Number((issue as z.core.$ZodIssueTooBig).maximum))
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'an integer',
  boolean: 'a boolean',
}

function wrongType(name: string, expected: string, found: string): Error {
  const message = `Invalid type for '${name}': expected ${typeNames[expected]}, but got ${found} instead.`
  return invalidField(name, 'invalid_type', message)
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' && Number.isInteger(value) ? 'an integer' : `a ${typeof value}`
}

/** The refusal of a number above a maximum. */
export function aboveMaximum(name: string, value: unknown, max: number): Error {
  return outside(name, `above maximum value. Expected a value <= ${max}`, value)
}

function outside(name: string, problem: string, value: unknown): Error {
  const code = problem.startsWith('above') ? 'integer_above_max_value' : 'integer_below_min_value'
  return invalidField(name, code, `Invalid '${name}': integer ${problem}, but got ${String(value)} instead.`)
}
