import * as z from 'zod/mini'
import { may } from '../../../scenario/schema/fields.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import { receiveMask } from '../images.ts'
import { readOptionalPrompt } from '../prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import { inputOf, type DrawingAction } from '../result.ts'
import { answerDialog } from './press.ts'
import { submission } from './submission.ts'
import { optionalImage, submissionForm, taskId } from './form.ts'

const form = submissionForm('ModalRequest', 'Answer a dialog.', () => ({
  taskId: taskId(),
  prompt: may(z.string(), 'A new prompt.'),
  maskBase64: optionalImage(),
}))

/**
 * Answers a dialog, such as that of a local repaint (§4.6). The task that waits for it continues.
 * @assumed §4.6 the payload is undocumented; wire §7.3 and §7.8.
 */
export const modal = submission('confirm', {
  path: 'modal',
  summary: 'Answer a dialog',
  form,
  action: ({ parent }) => (parent ? (parent.action as DrawingAction) : 'INPAINT'),
  ofJob: ({ taskId }) => taskId,
  prepare: async (body, { media, settings }) => {
    const mask = await receiveMask(body['maskBase64'], media, settings.imageLimitBytes)
    const identity = mask === undefined ? '' : 'digest' in mask ? mask.digest : mask.refused
    return { prepared: mask ? [mask as RequestPhoto] : [], fields: { ...body, maskBase64: identity } }
  },
  make: ({ images: [mask], body, parent, settings }) => {
    if (mask && 'refused' in mask) throw invalidDrawing('brokenImage', `maskBase64 ${mask.refused}`)
    const prompt = readOptionalPrompt(body.prompt, settings)
    const { id, status, drawing } = parent!
    if (status !== 'MODAL')
      throw invalidDrawing('parentState', `Task ${id} is ${status}: it waits for no dialog.`)
    if (!prompt && parent!.prompt.trim() === '')
      throw invalidDrawing('prompt', 'The picture was made without a prompt; say what is to be seen.')
    const { kind, prompts, ...input } = inputOf(parent!)
    const { version = input.version, seed = Number(parent!.seed), mode = input.mode } = prompt?.flags ?? {}
    return {
      prompt: prompt?.prompt ?? parent!.prompt,
      version,
      seed,
      shape: prompt?.shape,
      problem: prompt?.problem,
      keeps: { ...input, version, mode },
      isRepaced: mode !== input.mode,
      result: () =>
        answerDialog({ kind, drawing: drawing!, prompts }, { prompt, mask: mask?.digest }, version),
    }
  },
})
