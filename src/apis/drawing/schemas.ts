import * as z from 'zod/mini'
import type { drawingOperations } from '../../engine/operations/drawing.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  anyObject,
  gatewayError,
  imageText,
  integer,
  type ApiSchema,
  type OperationSchema,
} from '../operation-schema.ts'

const common = {
  botType: may(z.string(), 'MID_JOURNEY or NIJI_JOURNEY.'),
  notifyHook: may(z.string(), 'A URL that gets each change of the task.'),
  state: may(z.string(), 'Any text; the task has it in its `state`.'),
  accountFilter: z.optional(z.unknown()),
  enableRemix: may(z.boolean(), 'Whether buttons open a dialog first.'),
}

const image = may(imageText, 'An image: a data URL, base64 or a URL.')
const images = may(z.array(imageText), 'Images: data URLs, base64 or URLs.')
const ownTask = must(z.union([z.string(), integer]), 'The id of a task.')

/** A submission by its fields. The gateway says itself what is missing, with a code of its own. */
function submission(
  name: string,
  summary: string,
  fields: Record<string, z.ZodMiniType>,
): Pick<OperationSchema, 'summary' | 'body' | 'answer'> {
  return {
    summary,
    body: named(name, z.looseObject({ ...fields, ...common }), `${summary}.`),
    answer: { json: submitted, texts: ['text/plain'] },
  }
}

const submitted = named(
  'DrawingAnswer',
  z.object({
    code: must(integer, '1 if accepted, 21 if it waits for a dialog; 3, 4, 23, 24 and 30 are refusals.'),
    description: z.string(),
    result: must(
      z.nullable(z.union([z.string(), z.array(z.string())])),
      'The id of the task; of an upload, URLs.',
    ),
    properties: z.optional(z.nullable(anyObject)),
  }),
  'The answer to a submission (§2.4). Refusals of the back end have the status 200, too.',
)

const drawingError = named(
  'DrawingError',
  z.object({ code: integer, description: z.string(), type: z.string() }),
  'A refusal by the gateway.',
)

const imageError = named('ImageError', z.object({ error: z.string() }), 'A refusal of an image.')

const drawingTask = named(
  'DrawingTask',
  z.object({
    id: z.string(),
    action: must(z.string(), 'Such as IMAGINE or UPSCALE.'),
    customId: z.string(),
    botType: z.string(),
    prompt: z.string(),
    promptEn: z.string(),
    description: z.string(),
    state: z.string(),
    submitTime: must(integer, 'In milliseconds since 1970, as all times.'),
    startTime: integer,
    finishTime: integer,
    imageUrl: z.string(),
    videoUrl: z.string(),
    videoUrls: z.nullable(z.array(z.object({ url: z.string() }))),
    status: must(z.string(), 'NOT_START, SUBMITTED, IN_PROGRESS, MODAL, SUCCESS or FAILURE.'),
    progress: must(z.string(), 'In percent.', '66%'),
    failReason: z.string(),
    buttons: z.nullable(
      z.array(
        z.object({
          customId: z.string(),
          emoji: z.string(),
          label: z.string(),
          type: integer,
          style: integer,
        }),
      ),
    ),
    maskBase64: z.string(),
    properties: z.nullable(anyObject),
  }),
  'A drawing task (§2.5).',
)

const imageBytes = {
  bytes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  others: { '304': 'Not modified.' },
}

export const drawingSchemas: ApiSchema<keyof typeof drawingOperations> = {
  title: 'Drawing',
  description: 'The drawing channel. Its paths may name a mode: `/mj-fast/mj/submit/imagine`.',
  error: z.union([drawingError, gatewayError, imageError]),
  keys: 'drawing',
  operations: {
    'mj.imagine': submission('ImagineRequest', 'Draw four images', {
      prompt: must(z.string(), 'What is to be seen, with flags such as `--ar 16:9`.', 'a red fox --ar 1:1'),
      base64Array: images,
      base64: image,
    }),
    'mj.action': submission('ActionRequest', 'Press a button', {
      taskId: ownTask,
      customId: must(z.string(), 'The id of a button of the task.'),
    }),
    'mj.change': submission('ChangeRequest', 'Upscale, vary or redraw', {
      taskId: ownTask,
      action: z.enum(['UPSCALE', 'VARIATION', 'REROLL']),
      index: may(z.union([integer, z.string()]), 'The number of the image, from 1 to 4.'),
    }),
    'mj.simple-change': submission('SimpleChangeRequest', 'Upscale, vary or redraw, in two words', {
      content: must(z.string(), 'The id of a task and U1 to U4, V1 to V4 or R.', '1320098173412546 U2'),
    }),
    'mj.blend': submission('BlendRequest', 'Blend images', {
      base64Array: must(z.array(imageText), 'From 2 to 5 images.'),
      dimensions: may(z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']), 'Default SQUARE.'),
    }),
    'mj.describe': submission('DescribeRequest', 'Describe an image', { base64: image, link: image }),
    'mj.modal': submission('ModalRequest', 'Answer a dialog', {
      taskId: ownTask,
      prompt: may(z.string(), 'A new prompt.'),
      maskBase64: image,
    }),
    'mj.shorten': submission('ShortenRequest', 'Shorten a prompt', { prompt: z.string() }),
    'mj.edits': submission('EditsRequest', 'Change an image', {
      prompt: z.string(),
      image: z.optional(z.union([imageText, z.array(imageText)])),
    }),
    'mj.video': submission('DrawingVideoRequest', 'Set an image in motion', {
      prompt: may(z.string(), 'What happens.'),
      image,
      endImage: image,
      motion: may(z.string(), 'low or high.'),
      batchSize: may(z.union([integer, z.string()]), 'How many videos: 1, 2 or 4.'),
      action: may(z.string(), '`extend` makes a video longer.'),
      taskId: may(z.union([z.string(), integer]), 'The task of a video that becomes longer.'),
      index: may(z.union([integer, z.string()]), 'Which of its videos, from 0.'),
    }),
    'mj.upload': submission('UploadRequest', 'Store images', {
      base64Array: must(z.array(imageText), 'Images: data URLs, base64 or URLs.'),
    }),
    'mj.swap': submission('SwapRequest', 'Put a face into an image', {
      sourceBase64: image,
      sourceUrl: image,
      targetBase64: image,
      targetUrl: image,
    }),
    'mj.fetch': { summary: 'Poll a drawing', answer: { json: drawingTask } },
    'mj.list': {
      summary: 'Poll several drawings',
      body: named(
        'ListRequest',
        z.looseObject({ ids: z.optional(z.array(z.union([z.string(), integer, z.null()]))) }),
        'The ids of tasks, at most 1,000.',
      ),
      answer: { json: z.array(drawingTask) },
    },
    'mj.seed': { summary: 'Get the seed of an image', answer: { json: submitted, texts: ['text/plain'] } },
    'mj.image': { summary: 'Download an image', answer: imageBytes },
    'mj.film': {
      summary: 'Download a video',
      answer: { bytes: ['video/mp4'], others: { '206': 'A part of the bytes.', '304': 'Not modified.' } },
    },
    'mj.uploaded': { summary: 'Download a stored image', answer: imageBytes },
    'mj.all': { summary: 'List all drawings', answer: { json: z.array(drawingTask) } },
    'mj.queue': { summary: 'List unfinished drawings', answer: { json: z.array(drawingTask) } },
    'mj.cancel': { summary: 'Cancel a drawing', answer: { json: submitted, texts: ['text/plain'] } },
  },
}
