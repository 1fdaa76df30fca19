import * as z from 'zod/mini'
import type { openaiVideoApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  gatewayError,
  integer,
  optionalText,
  pageQuery,
  taskError,
  unixSeconds,
  words,
  type ApiSchema,
} from '../define/operation-schema.ts'
import { videoRequest } from '../video/schemas.ts'

const nullableText = z.optional(z.nullable(z.string()))
const nullableSeconds = z.optional(z.nullable(unixSeconds))

const video = named(
  'Video',
  z.object({
    id: z.string(),
    task_id: optionalText,
    object: z.literal('video'),
    model: z.string(),
    status: must(z.string(), 'queued, in_progress, completed or failed.'),
    progress: integer,
    created_at: unixSeconds,
    completed_at: nullableSeconds,
    expires_at: nullableSeconds,
    prompt: nullableText,
    seconds: z.string(),
    size: z.string(),
    remixed_from_video_id: nullableText,
    error: z.optional(z.nullable(z.object({ message: z.string(), code: z.string() }))),
    usage: z.optional(z.object({ completion_tokens: integer, total_tokens: integer })),
    metadata: may(z.object({ url: z.string() }), 'Where the video is, once it is done.'),
  }),
  'A video in the form of the Videos API. The quirk `openaiVideoStyle` chooses which optional fields it has.',
)

export const openaiVideoSchemas: ApiSchema<NamesOf<[typeof openaiVideoApi]>> = {
  title: 'Videos API',
  description: "OpenAI's Videos API over the same tasks.",
  error: z.union([gatewayError, taskError]),
  operations: {
    'videos.create': {
      summary: 'Create a video',
      body: videoRequest,
      takesForm: true,
      answer: { json: video },
    },
    'videos.retrieve': { summary: 'Retrieve a video', answer: { json: video } },
    'videos.remix': {
      summary: 'Remix a video',
      body: named('RemixRequest', z.looseObject({ prompt: words }), 'A new prompt for an old video.'),
      takesForm: true,
      answer: { json: video },
    },
    'videos.list': {
      summary: 'List videos',
      query: pageQuery,
      answer: {
        json: z.object({
          object: z.literal('list'),
          data: z.array(video),
          first_id: z.nullable(z.string()),
          last_id: z.nullable(z.string()),
          has_more: z.boolean(),
        }),
      },
    },
    'videos.delete': {
      summary: 'Delete a video',
      answer: {
        json: z.object({ id: z.string(), deleted: z.boolean(), object: z.literal('video.deleted') }),
      },
    },
  },
}
