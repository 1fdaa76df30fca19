import * as z from 'zod/mini'
import type { videoApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  gatewayError,
  imageText,
  integer,
  modelName,
  taskError,
  unixSeconds,
  words,
  anyObject,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { maxImages } from './image.ts'

export const videoRequest = named(
  'VideoRequest',
  z.looseObject({
    model: must(modelName, 'The name of the model.', 'video-1'),
    prompt: must(words, 'What is to be seen.', 'a paper boat in the rain'),
    image: may(imageText, 'An image to begin with: a URL, a data URL or base64.'),
    images: may(z.union([imageText, z.array(imageText).check(z.maxLength(maxImages))]), 'Several images.'),
    input_reference: may(imageText, 'Another name of `image`.'),
    duration: may(
      z.union([integer.check(z.minimum(0)), z.string()]),
      'The length in seconds; 0 is the default, and so is a text that is no number.',
      5,
    ),
    seconds: may(
      z.string(),
      'The length in seconds, as a text; another text is the default. Not read next to `duration`.',
      '5',
    ),
    size: may(z.string(), 'WIDTHxHEIGHT, a resolution or an aspect ratio.', '1280x720'),
    resolution: may(z.union([z.string(), integer]), 'Such as 720p. `size` comes first.'),
    aspect_ratio: may(z.string(), 'Such as 16:9. `size` comes first.'),
    metadata: may(
      z.union([
        z.looseObject({
          seed: z.optional(z.unknown()),
          resolution: z.optional(z.union([z.string(), integer])),
          aspect_ratio: z.optional(z.string()),
        }),
        z.string(),
      ]),
      'More fields, which come before those of the request, as an object or as JSON.',
    ),
  }),
  'A request for a video.',
)

const submittedVideo = named(
  'SubmittedVideo',
  z.object({
    id: z.string(),
    task_id: z.string(),
    object: z.literal('video'),
    model: z.string(),
    status: must(z.string(), 'Always `queued`, unless a rule says otherwise.'),
    progress: integer,
    created_at: unixSeconds,
  }),
  'The task of an accepted request (§2.1).',
)

const videoTask = named(
  'VideoTask',
  z.object({
    code: z.string(),
    message: z.string(),
    data: z.object({
      id: integer,
      created_at: unixSeconds,
      updated_at: unixSeconds,
      task_id: z.string(),
      platform: z.string(),
      user_id: integer,
      group: z.string(),
      channel_id: integer,
      quota: z.number(),
      action: z.string(),
      status: must(z.string(), 'queued, IN_PROGRESS, SUCCESS or FAILURE, unless a lifecycle is configured.'),
      fail_reason: z.optional(z.string()),
      result_url: may(z.string(), 'Where the video is, once it is done.'),
      submit_time: unixSeconds,
      start_time: unixSeconds,
      finish_time: unixSeconds,
      progress: must(z.string(), 'In percent.', '66%'),
      properties: anyObject,
      data: z.optional(z.nullable(anyObject)),
    }),
  }),
  'The present state of a task (§2.2).',
)

export const videoSchemas: ApiSchema<NamesOf<[typeof videoApi]>> = {
  title: 'Video',
  description: "The gateway's own video API.",
  error: z.union([gatewayError, taskError]),
  operations: {
    'video.submit': {
      summary: 'Submit a video',
      body: videoRequest,
      takesForm: true,
      answer: { json: submittedVideo },
    },
    'video.poll': { summary: 'Poll the task of a video', answer: { json: videoTask } },
    'video.content': {
      summary: 'Download a video',
      query: z.object({
        variant: may(z.enum(['video', 'thumbnail', 'spritesheet']), 'Default video.'),
        expires: may(integer, 'Of a signed link.'),
        signature: may(z.string(), 'Of a signed link, which needs no key.'),
      }),
      headers: z.object({
        Range: may(z.string(), 'A part of the bytes.', 'bytes=0-99'),
        'If-None-Match': may(z.string(), 'The ETag of the bytes that the client has.'),
      }),
      answer: {
        bytes: ['video/mp4', 'video/webm', 'image/webp', 'image/png'],
        others: {
          '206': 'A part of the bytes.',
          '302': 'A signed link, if the quirk `contentDelivery` is `redirect`.',
          '304': 'Not modified.',
        },
      },
    },
  },
}
