import * as z from 'zod/mini'
import type { imagesApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  constrain,
  imageText,
  integer,
  integers,
  modelName,
  oneOrMore,
  unixSeconds,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { maxEditedImages } from './edit.ts'
import { maxImages, maxPromptLength, maxSide, minSide } from './model-family.ts'
import { backgrounds, formats, maxPartialImages, qualities } from './request.ts'

const fields = {
  model: must(modelName, 'The name of the model. Those of OpenAI have limits of their own.', 'gpt-image-1'),
  prompt: must(
    z.string().check(z.regex(/\S/), z.maxLength(maxPromptLength)),
    'What is to be seen.',
    'a red fox in the snow',
  ),
  n: may(integers(1, maxImages), 'How many images. Default 1.'),
  size: may(
    z.string(),
    `\`auto\`, or WIDTHxHEIGHT with sides of ${minSide} to ${maxSide} pixels, at most three to one.`,
    '1024x1024',
  ),
  quality: may(z.enum(qualities), 'How many tokens an image takes. Default auto, which is medium.'),
  background: may(z.enum(backgrounds), 'Default opaque.'),
  output_format: may(z.enum(formats), 'Default png.'),
  output_compression: may(integers(0, 100), 'The quality of jpeg and webp. Default 100.'),
  response_format: may(
    z.enum(['url', 'b64_json']),
    'Default url. Models named gpt-image give base64 only, and refuse this field.',
  ),
  stream: may(z.boolean(), 'Whether the images come as events.'),
  partial_images: may(integers(0, maxPartialImages), 'Unfinished images of a stream. Default 0.'),
  moderation: may(z.enum(['low', 'auto']), 'Without effect.'),
  style: may(z.enum(['vivid', 'natural']), 'Without effect.'),
  input_fidelity: may(z.enum(['high', 'low']), 'Without effect.'),
}

/** What fields together can't be. */
const rules = {
  not: {
    anyOf: [
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
    ],
  },
}

const image = z.union([imageText, z.looseObject({ image_url: imageText })])
const kinds = 'a data URL, base64 or a URL'

const form = {
  size: z.optional(z.string()),
  quality: z.optional(z.string()),
  background: z.optional(z.string()),
  output_format: z.optional(z.string()),
}

const details = z.object({ text_tokens: integer, image_tokens: integer })
const usage = z.object({
  input_tokens: integer,
  input_tokens_details: details,
  output_tokens: integer,
  output_tokens_details: details,
  total_tokens: integer,
})

const answer = named(
  'ImageList',
  z.object({
    created: unixSeconds,
    ...form,
    data: z.array(
      z.object({
        url: z.optional(z.string()),
        b64_json: z.optional(z.string()),
        revised_prompt: z.optional(z.string()),
      }),
    ),
    usage: z.optional(usage),
  }),
  'Images, as URLs or base64.',
)

const event = named(
  'ImageEvent',
  z.object({
    type: must(z.string(), 'Such as image_generation.partial_image and image_generation.completed.'),
    b64_json: z.optional(z.string()),
    partial_image_index: z.optional(integer),
    created_at: z.optional(unixSeconds),
    ...form,
    usage: z.optional(z.omit(usage, { output_tokens_details: true })),
    error: z.optional(z.looseObject({ message: z.string() })),
  }),
  'An event of a stream of images.',
)

const imageError = named(
  'ImagesError',
  z.object({
    error: z.object({
      message: z.string(),
      type: z.nullable(z.string()),
      param: must(z.nullable(z.string()), 'The field that is wrong.', 'size'),
      code: z.nullable(z.string()),
    }),
  }),
  "A refusal in OpenAI's envelope.",
)

export const imageSchemas: ApiSchema<NamesOf<[typeof imagesApi]>> = {
  title: 'Images',
  description: "OpenAI's Images API.",
  error: imageError,
  operations: {
    'images.generate': {
      summary: 'Make images',
      body: named(
        'ImageRequest',
        constrain(z.looseObject(fields), rules),
        'A request for images. A field that is null counts as missing.',
      ),
      takesForm: true,
      answer: { json: answer, events: event },
    },
    'images.edit': {
      summary: 'Change images',
      body: named(
        'ImageEditRequest',
        z.union([
          constrain(
            z.looseObject({
              ...fields,
              image: must(oneOrMore(image, maxEditedImages), `Images, each ${kinds}.`),
              mask: may(image, 'An image of the same size. Its transparent parts are painted.'),
            }),
            rules,
          ),
          constrain(
            z.looseObject({
              ...fields,
              images: must(oneOrMore(image, maxEditedImages), `Images, each ${kinds}.`),
              mask: may(image, 'An image of the same size. Its transparent parts are painted.'),
            }),
            rules,
          ),
        ]),
        'A request to change images.',
      ),
      takesForm: true,
      answer: { json: answer, events: event },
    },
    'images.file': {
      summary: 'Download an image',
      answer: {
        bytes: ['image/png', 'image/jpeg', 'image/webp'],
        others: { '304': 'Not modified.', '206': 'A part of the bytes.' },
      },
    },
  },
}
