import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Drawing } from '../../../pictures/composition/drawing.ts'
import type { ApiDeps } from '../../define/operation.ts'
import {
  drawPhoto,
  drawPrompt,
  extendVideo,
  makeVideos,
  versionOf,
  type VideoOptions,
} from '../composition.ts'
import {
  identityOfImage,
  imagesInPrompt,
  listOf,
  receiveOptional,
  requireImages,
  withDrawing,
} from '../images.ts'
import { idOf, readOptionalPrompt, wholeNumber, type DrawingPrompt } from '../prompt.ts'
import { drawingError, invalidDrawing, quote } from '../refusals.ts'
import type { DrawingRequest } from '../result.ts'
import { requireParent } from '../task.ts'
import { defineSubmission } from './submission.ts'

interface Extension {
  readonly task: string
  /** The number of the video to extend. */
  readonly index: number
}

/**
 * Creates videos from an image, or extends a video.
 * @assumed §4.6 it is undocumented; wire §7.3.
 */
export const mjVideo = defineSubmission(
  { name: 'mj.video', ...drawingFacts('submit', 'POST /mj/submit/video') },
  (deps: ApiDeps) => {
    const settings = deps.use(drawingSettings)

    return {
      action: 'VIDEO',
      prepare: async (body, media) => {
        const named = imagesInPrompt(body['prompt'], settings.promptLimitCharacters)
        const [first] = [...listOf(body['image']), ...named]
        const [last] = listOf(body['endImage'])
        const images = await receiveOptional([first, last], media, settings.imageLimitBytes)
        const [image, endImage] = images.map((each) => (each ? identityOfImage(each) : ''))
        return { prepared: images, fields: { ...body, image, endImage } }
      },
      /** The last image is checked, but has no effect. */
      parse: ({ body, prepared: [first, last] }) => {
        const extension = readExtension(body)
        const prompt = readOptionalPrompt(body['prompt'], settings)
        const [image] = first ? requireImages([first]) : []
        if (last) requireImages([last])
        if (!prompt && !image && !extension) throw drawingError(4, 'prompt_is_required')
        const version = prompt ? versionOf(prompt, body['botType']) : '7'
        return { prompt, image, version, extension, options: readOptions(body, prompt) }
      },
      respond: (x, { prompt, image, version, extension, options }) => {
        const original = extension && requireVideos(x, extension)
        const text = prompt?.prompt ?? original?.prompt ?? ''
        return {
          action: 'VIDEO',
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

export const videoTypePattern = /^vid_[\d.]+_i2v(?:_start_end)?_(480|720)$/

function readOptions(body: JsonObject, prompt: DrawingPrompt | undefined): Omit<VideoOptions, 'prompt'> {
  const { motion, loop, videoType, batchSize } = body
  const flags = prompt?.flags ?? {}
  const count = batchSize === undefined || batchSize === null ? flags.batchSize : wholeNumber(batchSize)
  if (count !== undefined && ![1, 2, 4].includes(count)) {
    throw invalidDrawing('parameter', `batchSize is ${quote(batchSize)}; use 1, 2 or 4.`)
  }
  if (motion !== undefined && motion !== null && motion !== '' && motion !== 'low' && motion !== 'high') {
    throw invalidDrawing('parameter', `motion is ${quote(motion)}; use low or high.`)
  }
  const type = videoType || 'vid_1.1_i2v_480'
  const lines = typeof type === 'string' ? videoTypePattern.exec(type)?.[1] : undefined
  if (lines === undefined) {
    const hint = `videoType is ${quote(videoType)}; use vid_1.1_i2v_480 or vid_1.1_i2v_720.`
    throw invalidDrawing('parameter', hint)
  }
  return {
    motion: motion || flags.motion,
    loop: typeof loop === 'boolean' ? loop : flags.loop,
    count,
    lines: Number(lines),
  }
}

function readExtension(body: JsonObject): Extension | undefined {
  if (body['action'] !== 'extend') return undefined
  const task = idOf(body['taskId'])
  if (task === undefined) throw drawingError(4, 'task_id_is_required')
  const index = wholeNumber(body['index'] ?? 0)
  if ([0, 1, 2, 3].includes(index)) return { task, index }
  throw invalidDrawing('parameter', `index is ${quote(body['index'])}; videos are counted from 0 to 3.`)
}
