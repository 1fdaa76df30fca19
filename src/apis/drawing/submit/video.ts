import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Drawing } from '../../../pictures/composition/drawing.ts'
import type { Core } from '../../../gateway/core.ts'
import { may, named } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import { constrain, lenient } from '../../define/operation-schema.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import {
  drawPhoto,
  drawPrompt,
  extendVideo,
  makeVideos,
  versionOf,
  type VideoOptions,
} from '../composition.ts'
import { imagesInPrompt, listOf, receiveOptional, requireImages, withDrawing } from '../images.ts'
import { readOptionalPrompt, type DrawingPrompt } from '../prompt.ts'
import { quote } from '../../../engine/wording.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import type { DrawingRequest } from '../result.ts'
import { requireParent } from '../task.ts'
import type { PromptFlags } from '../flags.ts'
import { identityOfPhoto } from '../../painting/photos.ts'
import { defineSubmission } from './submission.ts'
import { common, firstImage, numberOf, refuseSubmission, sentence, taskId } from './form.ts'

interface Extension {
  readonly task: string
  /** The number of the video to extend. */
  readonly index: number
}

const batchSentence = sentence((value) => `batchSize is ${quote(value)}; use 1, 2 or 4.`)
const indexSentence = sentence((value) => `index is ${quote(value)}; videos are counted from 0 to 3.`)
const motionSentence = sentence((value) => `motion is ${quote(value)}; use low or high.`)
const typeSentence = sentence(
  (value) => `videoType is ${quote(value)}; use vid_1.1_i2v_480 or vid_1.1_i2v_720.`,
)
const typePattern = /^(?:vid_[\d.]+_i2v(?:_start_end)?_(?:480|720))?$/

const fields = once(() => ({
  prompt: may(z.string(), 'What happens.'),
  image: z.optional(firstImage()),
  endImage: z.optional(firstImage()),
  motion: may(z.enum(['low', 'high', ''], motionSentence), 'Default low.'),
  batchSize: may(numberOf([1, 2, 4], batchSentence), 'How many videos.'),
  videoType: may(
    z.string(typeSentence).check(z.regex(typePattern, typeSentence)),
    'Such as vid_1.1_i2v_720.',
  ),
  loop: may(lenient(z.boolean()), 'Whether it ends as it begins. Other values are ignored.'),
  ...common(),
}))

const extendForm = once(() =>
  z.object({
    action: z.literal('extend'),
    taskId: taskId(),
    index: may(numberOf([0, 1, 2, 3], indexSentence), 'Which of its videos.'),
    ...fields(),
  }),
)
const createForm = once(() =>
  constrain(z.object({ action: z.optional(z.unknown()), ...fields() }), {
    anyOf: [{ required: ['prompt'] }, { required: ['image'] }],
  }),
)

const form = defineForm(
  () => named('DrawingVideoRequest', z.union([extendForm(), createForm()]), 'Set an image in motion.'),
  refuseSubmission,
)

type VideoBody = z.output<typeof form.schema>

/**
 * Creates videos from an image, or extends a video.
 * @assumed §4.6 videos from images are undocumented; wire §7.3.
 */
export const mjVideo = defineSubmission(
  {
    name: 'mj.video',
    summary: 'Set an image in motion',
    ...drawingFacts('submit', 'POST /mj/submit/video'),
    form,
  },
  (core: Core) => {
    const settings = core.use(drawingSettings)

    return {
      action: 'VIDEO',
      prepare: async (body, media) => {
        const { prompt, image: given, endImage: givenEnd } = body
        const named = imagesInPrompt(prompt, settings.promptLimitCharacters)
        const [first] = [...listOf(given), ...named]
        const [last] = listOf(givenEnd)
        const images = await receiveOptional([first, last], media, settings.imageLimitBytes)
        const [image, endImage] = images.map((each) => (each ? identityOfPhoto(each) : ''))
        return { prepared: images, fields: { ...body, image, endImage } }
      },
      /** The last image is checked, but has no effect. */
      parse: ({ prepared: [first, last] }, body) => {
        const extension = 'taskId' in body ? { task: body.taskId, index: body.index ?? 0 } : undefined
        const prompt = readOptionalPrompt(body.prompt, settings)
        const [image] = first ? requireImages([first]) : []
        if (last) requireImages([last])
        if (!prompt && !image && !extension) throw drawingError(4, 'prompt_is_required')
        const version = prompt ? versionOf(prompt, body.botType) : '7'
        return { prompt, image, version, extension, options: readOptions(body, prompt?.flags) }
      },
      respond: (x, { prompt, image, version, extension, options }) => {
        const original = extension && requireVideos(x, extension)
        const text = prompt?.prompt ?? original?.prompt ?? ''
        return {
          prompt: text,
          version,
          flagged: prompt?.flags.mode,
          seed: prompt?.flags.seed,
          result: (seed) => {
            if (original) {
              const videos = extendVideo(original.videos!, { ...options, index: extension.index }, seed)
              return { kind: 'videos', drawing: original.drawing!, videos }
            }
            const drawing = image ? drawPhoto(withDrawing(image, x)) : firstOf(prompt!, version, seed)
            const videos = makeVideos(drawing, { ...options, prompt: prompt?.text ?? text }, seed, settings)
            return { kind: 'videos', drawing, videos }
          },
          ...(prompt && { shape: prompt.shape, problem: prompt.problem }),
          ...(extension && { parent: extension.task }),
        }
      },
    }
  },
)

/** The first of the four images of a prompt. */
function firstOf(prompt: DrawingPrompt, version: string, seed: number): Drawing {
  const { base, edits } = drawPrompt(prompt, [], version)(seed).drawing!
  return { base, edits: [...edits, { do: 'upscale', tile: 1 }] }
}

/** The task with the video that is extended. */
function requireVideos(x: Exchange, { task, index }: Extension): DrawingRequest {
  const { request } = requireParent(x.tasks.find(task), x)
  if (!request.videos) throw invalidDrawing('parentKind', `Task ${task} has no videos.`)
  const count = request.videos.seeds.length
  if (index < count) return request
  throw invalidDrawing('parameter', `Task ${task} has ${count} videos; there is no index ${index}.`)
}

function readOptions(
  { motion, loop, videoType = '', batchSize }: VideoBody,
  { motion: inPrompt, loop: isLoop, batchSize: count }: PromptFlags = {},
): Omit<VideoOptions, 'prompt'> {
  return {
    motion: motion || inPrompt,
    loop: loop ?? isLoop,
    count: batchSize ?? count,
    lines: videoType.endsWith('720') ? 720 : 480,
  }
}
