import * as z from 'zod/mini'
import type { drawingApi } from './api.ts'
import type { NamesOf } from '../define/api.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import {
  anyObject,
  constrain,
  filledText,
  gatewayError,
  imageText,
  integer,
  integers,
  lenient,
  oneOrMore,
  words,
  type ApiSchema,
  type OperationSchema,
} from '../define/operation-schema.ts'
import { maxImages } from './images.ts'
import { maxIds } from './read/list.ts'
import { simpleChange } from './submit/change.ts'
import { videoTypePattern } from './submit/video.ts'

const common = {
  botType: may(lenient(z.string()), 'MID_JOURNEY or NIJI_JOURNEY. Other values are ignored.'),
  notifyHook: may(
    lenient(z.string()),
    'A URL that gets each change of the task. Ignored, unless `drawing.notifyHook` is set, which names the hosts.',
  ),
  state: may(
    lenient(z.string()),
    'A text that the task has in its `state`. Other values are written as JSON.',
  ),
  accountFilter: may(z.unknown(), 'Ignored, unless `drawing.accountFilter` is set.'),
  enableRemix: may(lenient(z.boolean()), 'Whether buttons open a dialog first. Other values count as false.'),
}

const imageKinds = 'a data URL, base64 or a URL'
const image = must(imageText, `An image: ${imageKinds}.`)
const optionalImage = may(imageText, `An image: ${imageKinds}.`)
/** A list whose first image counts. */
const imageList = z.array(z.unknown())
const firstOf = (list: typeof imageList): z.ZodMiniType =>
  z.union([imageText, constrain(list, { prefixItems: [{ type: 'string' }] })])
const firstImage = firstOf(imageList.check(z.minLength(1)))
const anyFirstImage = firstOf(imageList)
const ownTask = must(
  z.union([z.string().check(z.regex(/\S/)), integers(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)]),
  'The id of a task.',
)
const prompt = must(words, 'What is to be seen, with flags such as `--ar 16:9`.', 'a red fox --ar 1:1')

type Fields = Readonly<Record<string, z.ZodMiniType>>

/** The schema of a submission with these fields, or with one of several sets of fields. */
function submission(
  name: string,
  summary: string,
  ...choices: readonly [Fields, ...Fields[]]
): Pick<OperationSchema, 'summary' | 'body' | 'answer'> {
  const [first, ...others] = choices.map((fields) => z.looseObject({ ...fields, ...common }))
  const body = others.length === 0 ? first! : z.union([first!, ...others])
  return {
    summary,
    body: named(name, body, `${summary}.`),
    answer: { json: submitted, texts: ['text/plain'] },
  }
}

const videoFields = {
  prompt: may(z.string(), 'What happens.'),
  image: may(anyFirstImage, 'An image, or a list of which the first counts.'),
  endImage: may(anyFirstImage, 'The last image.'),
  motion: may(z.enum(['low', 'high', '']), 'Default low.'),
  batchSize: may(z.union([z.literal([1, 2, 4]), z.enum(['1', '2', '4'])]), 'How many videos.'),
  videoType: may(
    z.union([z.string().check(z.regex(videoTypePattern)), z.literal('')]),
    'Such as vid_1.1_i2v_720.',
  ),
  loop: may(lenient(z.boolean()), 'Whether it ends as it begins. Other values are ignored.'),
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

export const drawingSchemas: ApiSchema<NamesOf<[typeof drawingApi]>> = {
  title: 'Drawing',
  description: 'The drawing channel. Its paths may name a mode: `/mj-fast/mj/submit/imagine`.',
  error: z.union([drawingError, gatewayError, imageError]),
  keys: 'drawing',
  operations: {
    'mj.imagine': submission('ImagineRequest', 'Draw four images', {
      prompt,
      base64Array: may(
        z.union([imageText, z.array(imageText).check(z.maxLength(maxImages))]),
        `Images: ${imageKinds}.`,
      ),
      base64: optionalImage,
    }),
    'mj.action': submission('ActionRequest', 'Press a button', {
      taskId: ownTask,
      customId: must(filledText, 'The id of a button of the task.'),
    }),
    'mj.change': submission(
      'ChangeRequest',
      'Upscale, vary or redraw',
      {
        taskId: ownTask,
        action: z.enum(['UPSCALE', 'VARIATION']),
        index: must(z.union([integers(1, 4), z.enum(['1', '2', '3', '4'])]), 'The number of the image.'),
      },
      { taskId: ownTask, action: z.literal('REROLL') },
    ),
    'mj.simple-change': submission('SimpleChangeRequest', 'Upscale, vary or redraw, in two words', {
      content: must(
        z.string().check(z.regex(simpleChange)),
        'The id of a task and U1 to U4, V1 to V4 or R.',
        '1320098173412546 U2',
      ),
    }),
    'mj.blend': submission('BlendRequest', 'Blend images', {
      base64Array: must(z.array(imageText).check(z.minLength(2), z.maxLength(5)), `Images: ${imageKinds}.`),
      dimensions: may(z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE', '']), 'Default SQUARE.'),
    }),
    'mj.describe': submission('DescribeRequest', 'Describe an image', { base64: image }, { link: image }),
    'mj.modal': submission('ModalRequest', 'Answer a dialog', {
      taskId: ownTask,
      prompt: may(z.string(), 'A new prompt.'),
      maskBase64: optionalImage,
    }),
    'mj.shorten': submission('ShortenRequest', 'Shorten a prompt', { prompt }),
    'mj.edits': submission('EditsRequest', 'Change an image', {
      prompt,
      image: must(firstImage, 'An image, or a list of which the first counts.'),
    }),
    'mj.video': submission(
      'DrawingVideoRequest',
      'Set an image in motion',
      {
        ...videoFields,
        action: z.literal('extend'),
        taskId: ownTask,
        index: may(z.union([integers(0, 3), z.enum(['0', '1', '2', '3'])]), 'Which of its videos.'),
      },
      { ...videoFields, prompt },
      { ...videoFields, image: firstImage },
    ),
    'mj.upload': submission('UploadRequest', 'Store images', {
      base64Array: must(oneOrMore(imageText, maxImages), `Images: ${imageKinds}.`),
    }),
    'mj.swap': submission(
      'SwapRequest',
      'Put a face into another image',
      { sourceBase64: image, targetBase64: image },
      { sourceBase64: image, targetUrl: image },
      { sourceUrl: image, targetBase64: image },
      { sourceUrl: image, targetUrl: image },
    ),
    'mj.fetch': { summary: 'Poll a drawing', answer: { json: drawingTask } },
    'mj.list': {
      summary: 'Poll several drawings',
      body: named(
        'ListRequest',
        z.looseObject({
          ids: may(
            lenient(z.array(lenient(z.union([z.string(), integer]))).check(z.maxLength(maxIds))),
            'At most 1,000. What is no id is ignored.',
          ),
        }),
        'The ids of tasks.',
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
