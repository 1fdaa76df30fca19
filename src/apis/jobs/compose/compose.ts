import type { Core } from '../../../gateway/core.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { drawnSizeOf, type Photo } from '../../../pictures/composition/drawing.ts'
import { readMediaShape } from '../../../scenario/rules/rule.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import { resizeDrawing } from '../job/picture.ts'
import type { StoredJob } from '../job/stored-job.ts'
import type { ReadJob } from '../job/record.ts'
import type { ComposedJob } from './composed.ts'

/** What the API composes. Links to images of this simulator stand for what these show. */
export function composeFields(
  x: Exchange & { readonly prepared: readonly RequestPhoto[] },
  { seed: given, compose }: ComposedJob,
  findDrawing: Core['findDrawing'],
  drawSeed: () => number,
): Partial<StoredJob> {
  const photos = x.prepared.flatMap((photo) => ('refused' in photo ? [] : [withDrawing(photo)]))
  function withDrawing(photo: Photo): Photo {
    const { digest, url } = photo
    const drawing = digest === undefined && url !== undefined ? findDrawing(url, x) : undefined
    return drawing ? { ...photo, ...drawnSizeOf(drawing), drawing } : photo
  }
  const seed = given ?? drawSeed()
  const composed = compose(seed, photos)
  const { media } = x.decision
  const drawing = media ? resizeDrawing(composed.drawing, readMediaShape(media)) : composed.drawing
  return {
    seed: String(seed),
    ...drawnSizeOf(drawing),
    input: composed.input,
    pictures: [{ kind: 'picture', drawing }],
  }
}

/** A composed job as others are read. Its composition sets the size. */
export function readComposed({ model, prompt, shape = {}, seed, action = '' }: ComposedJob): ReadJob {
  const size = { width: 0, height: 0 }
  return {
    model,
    directed: { prompt, shape },
    seconds: 0,
    size,
    rendered: { ...size, seconds: 0 },
    images: [],
    advice: undefined,
    seed: seed === undefined ? undefined : String(seed),
    audio: 'none',
    action,
  }
}
