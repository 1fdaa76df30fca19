import { runInTurns } from '../engine/clock/timers/steps.ts'
import { decodeBase64 } from '../gateway/bodies/base64.ts'
import { ImageRefused } from '../media/source.ts'

/**
 * Decodes an image from base64 or a data URL.
 * @param receive receives the bytes, such as `media.receiveImage`; `refused` is the start of the text if it refuses them.
 * @returns its result, or a text that says why the image is refused.
 */
export async function decodeImage<Result extends object>(
  text: string,
  limitBytes: number,
  receive: (bytes: Uint8Array) => Promise<Result>,
  refused = 'was refused: ',
): Promise<Result | string> {
  const bytes = await runInTurns(decodeBase64(text, limitBytes))
  if (typeof bytes === 'string') return bytes
  const received = await catchRefusal(() => receive(bytes))
  return typeof received === 'string' ? refused + received : received
}

/** @returns the result, or a text that says why an image is refused. */
export async function catchRefusal<Result extends object>(
  run: () => Promise<Result>,
): Promise<Result | string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ImageRefused) return error.message
    throw error
  }
}
