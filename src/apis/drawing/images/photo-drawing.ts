import type { Drawing, Photo, PhotoBase } from '../../../pictures/composition/drawing.ts'
import { describePhoto, describeWords } from '../../../pictures/words/photo-prompts.ts'

const maxSide = 2048

/** A picture as it was sent, no larger than pictures are drawn. */
export function photoDrawing(image: Photo): Drawing & { readonly base: PhotoBase } {
  const { width, height } = image
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const pixels = (side: number): number => Math.max(1, Math.round(side * scale))
  return { base: { kind: 'photo', image, width: pixels(width), height: pixels(height) }, edits: [] }
}

/** Four prompts that could have made a picture; of one that never came, its address is all there is. */
export function promptsIn(image: Photo, seed: number): readonly string[] {
  const words = image.drawing && wordsOf(image.drawing)
  if (words) return describeWords(words, image, seed)
  return describePhoto({ ...image, digest: image.digest ?? image.url ?? '' }, seed)
}

/** The words that a picture of our own was made by. */
function wordsOf({ base, edits }: Drawing): string | undefined {
  const said = edits.map((edit) => ('prompt' in edit && edit.do !== 'inpaint' ? edit.prompt : undefined))
  return said.findLast(Boolean) ?? ('prompt' in base ? base.prompt : undefined)
}
