import type { Route } from '../../../gateway/route.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { meaningOfImage, receiveDrawingImage, type DrawingImage } from '../images/images.ts'
import { versionOf } from '../images/imagined.ts'
import { frameOf } from '../images/frame.ts'
import { readPrompt, type DrawingPrompt } from '../images/prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'
import { listOf, usable } from './imagine.ts'

/**
 * A picture changed as a prompt says.
 * @assumed §4.6 it is not among the shown operations; wire §7.3.
 */
export function editsRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<DrawingImage | undefined, { prompt: DrawingPrompt; image: Photo; version: string }>(
    {
      operation: 'mj.edits',
      action: () => 'EDITS',
      prepare: async (body, media) => {
        const [sent] = listOf(body['image'])
        const image =
          sent === undefined ? undefined : await receiveDrawingImage(sent, media, settings.imageLimitBytes)
        return { prepared: image, fields: { ...body, ...(image && { image: meaningOfImage(image) }) } }
      },
      validate: (body, image) => {
        const prompt = readPrompt(body['prompt'], settings)
        if (!image)
          throw invalidDrawing('noImage', 'Send the picture in image: an address, a data URL or bare base64.')
        return { prompt, image: usable([image])[0]!, version: versionOf(prompt, body['botType']) }
      },
      wish: ({ prompt, image: sent, version }, shown) => {
        const image = shown(sent)
        const { flags, shape, problem, text } = prompt
        const frame = frameOf(flags.ratio ?? Math.min(14, Math.max(1 / 14, image.width / image.height)))
        return {
          action: 'EDITS',
          prompt: prompt.prompt,
          version,
          flagged: flags.mode,
          seed: flags.seed,
          shows: (seed) => ({
            kind: 'grid',
            drawing: { base: { kind: 'edit', image, prompt: text, seed, ...frame }, edits: [] },
          }),
          shape,
          problem,
        }
      },
    },
    tasks,
  )
}
