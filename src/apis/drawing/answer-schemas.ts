import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { must, named } from '../../scenario/schema/fields.ts'
import { anyObject, gatewayError, integer, type OperationDetails } from '../define/operation-schema.ts'

/** The answer to a submission. */
export const describeAcceptance = once((): OperationDetails => {
  const json = named(
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
  return { answer: { json, texts: ['text/plain'] } }
})

/** A task, in the answer to a poll. */
export const drawingTask = once(() =>
  named(
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
  ),
)

/** The bytes of an image. */
export function describeImage(): OperationDetails {
  const bytes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
  return { answer: { bytes, others: { '304': 'Not modified.' } } }
}

/** The envelopes of refusals. */
export const drawingErrors = once(() => {
  const drawingError = named(
    'DrawingError',
    z.object({ code: integer, description: z.string(), type: z.string() }),
    'A refusal by the gateway.',
  )
  const imageError = named('ImageError', z.object({ error: z.string() }), 'A refusal of an image.')
  return z.union([drawingError, gatewayError, imageError])
})
