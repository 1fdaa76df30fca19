import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Context, Route } from '../../../gateway/route.ts'
import type { Drawing, Photo } from '../../../pictures/composition/drawing.ts'
import { extended, filmsOf, type FilmWishes } from '../images/videos.ts'
import { meaningOfImage, receiveDrawingImage, type DrawingImage } from '../images/images.ts'
import { imaginedShows, versionOf } from '../images/imagined.ts'
import { filmsToExtend } from '../images/parent.ts'
import { idOf, readOptionalPrompt, wholeNumber, type DrawingPrompt } from '../images/prompt.ts'
import { photoDrawing } from '../images/photo-drawing.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { photoShown } from '../shown-at.ts'
import { submitRoute } from './submit-route.ts'
import type { DrawingTasks } from '../task.ts'
import { makeTask } from '../task-route.ts'
import { listOf, namedImages, usable } from './imagine.ts'

interface VideoWish {
  readonly prompt: DrawingPrompt | undefined
  readonly image: Photo | undefined
  readonly version: string
  /** Of another task's films: which of them goes on. */
  readonly extends: { readonly task: string; readonly index: number } | undefined
  readonly films: Omit<FilmWishes, 'prompt'>
}

/**
 * Films from a picture, or films that go on.
 * @assumed §4.6 it is not among the shown operations; wire §7.3.
 */
export function videoRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return submitRoute<readonly (DrawingImage | undefined)[], VideoWish>(
    {
      operation: 'mj.video',
      action: () => 'VIDEO',
      prepare: async (body, media) => {
        const [sent] = [
          ...listOf(body['image']),
          ...namedImages(body['prompt'], settings.promptLimitCharacters),
        ]
        const [end] = listOf(body['endImage'])
        const received = await Promise.all(
          [sent, end].map((value) =>
            value === undefined ? undefined : receiveDrawingImage(value, media, settings.imageLimitBytes),
          ),
        )
        const [image, endImage] = received.map((each) => (each ? meaningOfImage(each) : ''))
        return { prepared: received, fields: { ...body, image, endImage } }
      },
      /** The last picture is checked like the first, but films don't end in it. */
      validate: (body, [first, last]) => {
        const extend = readExtension(body)
        const prompt = readOptionalPrompt(body['prompt'], settings)
        const [image] = first ? usable([first]) : []
        if (last) usable([last])
        if (!prompt && !image && !extend) throw drawingError(4, 'prompt_is_required')
        return {
          prompt,
          image,
          version: prompt ? versionOf(prompt, body['botType']) : '7',
          extends: extend,
          films: readFilms(body, prompt),
        }
      },
      respond: (wanted, common, context) => {
        const { prompt, films } = wanted
        const origin = wanted.extends && filmsToExtend(wanted.extends, context)
        const words = prompt?.prompt ?? origin?.prompt ?? ''
        return makeTask(
          {
            action: 'VIDEO',
            prompt: words,
            version: wanted.version,
            flagged: prompt?.flags.mode,
            seed: prompt?.flags.seed,
            shows: (seed) => {
              if (origin?.films) {
                const longer = extended(origin.films, { ...films, index: wanted.extends!.index }, seed)
                return { kind: 'video', drawing: origin.drawing!, films: longer }
              }
              const drawing = drawingFor(wanted, seed, context)
              const made = filmsOf(drawing, { ...films, prompt: prompt?.text ?? words }, seed, settings)
              return { kind: 'video', drawing, films: made }
            },
            ...(prompt && { shape: prompt.shape, problem: prompt.problem }),
            ...(wanted.extends && { parent: wanted.extends.task }),
          },
          common,
          context,
          tasks,
        )
      },
    },
    settings,
  )
}

/** The picture that is set in motion: the one that was sent, or the first that the prompt gives. */
function drawingFor({ image, prompt, version }: VideoWish, seed: number, context: Context): Drawing {
  if (image) return photoDrawing(photoShown(image, context))
  const { base, edits } = imaginedShows(prompt!, [], version)(seed).drawing!
  return { base, edits: [...edits, { do: 'upscale', tile: 1 }] }
}

function readFilms(body: JsonObject, prompt: DrawingPrompt | undefined): Omit<FilmWishes, 'prompt'> {
  const { motion, loop, videoType, batchSize } = body
  const flags = prompt?.flags ?? {}
  const count = batchSize === undefined || batchSize === null ? flags.batchSize : wholeNumber(batchSize)
  if (count !== undefined && ![1, 2, 4].includes(count)) {
    throw invalidDrawing(
      'parameter',
      `batchSize is ${JSON.stringify(batchSize).slice(0, 60)}; use 1, 2 or 4.`,
    )
  }
  if (motion !== undefined && motion !== null && motion !== '' && motion !== 'low' && motion !== 'high') {
    throw invalidDrawing('parameter', `motion is ${JSON.stringify(motion).slice(0, 60)}; use low or high.`)
  }
  const type = videoType || 'vid_1.1_i2v_480'
  const lines =
    typeof type === 'string' ? /^vid_[\d.]+_i2v(?:_start_end)?_(480|720)$/.exec(type)?.[1] : undefined
  if (lines === undefined) {
    const shown = JSON.stringify(videoType).slice(0, 60)
    throw invalidDrawing('parameter', `videoType is ${shown}; use vid_1.1_i2v_480 or vid_1.1_i2v_720.`)
  }
  return {
    motion: motion || flags.motion,
    loop: typeof loop === 'boolean' ? loop : flags.loop,
    count,
    lines: Number(lines),
  }
}

function readExtension(body: JsonObject): VideoWish['extends'] {
  if (body['action'] !== 'extend') return undefined
  const task = idOf(body['taskId'])
  if (task === undefined) throw drawingError(4, 'task_id_is_required')
  const index = wholeNumber(body['index'] ?? 0)
  if ([0, 1, 2, 3].includes(index)) return { task, index }
  throw invalidDrawing(
    'parameter',
    `index is ${JSON.stringify(body['index']).slice(0, 60)}; films are counted from 0 to 3.`,
  )
}
