import { pictureKey } from './picture-key.ts'
import { hexDigestOfText } from './digest.ts'
import type { ClipSpec } from '../spec.ts'

/** Raised by hand whenever the same spec gives other bytes than before. */
const recipe = 3

/**
 * The name under which a clip is kept: it changes with all that decides the bytes.
 * @param options.encoder whose bytes they are; nothing for clips that need none.
 * @param options.pictureIsMissing whether a stand-in is shown for the picture that was sent.
 */
export function clipKey(
  spec: ClipSpec,
  options: { encoder: string | undefined; pictureIsMissing: boolean },
): string {
  const {
    prompt,
    model,
    seed,
    taskId,
    width,
    height,
    seconds,
    framesPerSecond,
    quality,
    caption,
    motion,
    loop,
  } = spec
  const image = imageName(spec)
  // The task id is in the caption and in the pattern of fast clips; without either, tasks may share a clip.
  const task = quality === 'fast' || caption ? taskId : ''
  const parts = [recipe, options.encoder ?? '', options.pictureIsMissing]
  const shape = [width, height, seconds, framesPerSecond, quality, caption]
  // Names from before there were kinds of motion stay as they were.
  const moves = motion === 'high' || loop ? [motion ?? 'low', loop ?? false] : []
  const canonical = JSON.stringify([...parts, ...shape, prompt, model, seed, task, image ?? null, ...moves])
  return hexDigestOfText(canonical)
}

function imageName({ image }: ClipSpec): unknown[] | undefined {
  if (!image) return undefined
  if ('picture' in image) return ['picture', pictureKey(image.picture, { isWhole: true })]
  return 'url' in image ? ['url', image.url] : ['digest', image.digest]
}
