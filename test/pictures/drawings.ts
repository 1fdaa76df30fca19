import type { Drawing, DrawingEdit, ImaginedBase, Photo } from '../../src/pictures/composition/drawing.ts'

export type { Drawing, DrawingBase, DrawingEdit, Photo } from '../../src/pictures/composition/drawing.ts'
export { picturesOf } from '../../src/pictures/composition/pictures-of.ts'

/** A drawing of a prompt, 256 pixels wide and high; say what should differ. */
export function drawingOf(
  prompt: string,
  edits: readonly DrawingEdit[] = [],
  changes: Partial<ImaginedBase> = {},
): Drawing {
  return {
    base: { kind: 'imagine', prompt, model: '7', seed: 1, width: 256, height: 256, ...changes },
    edits,
  }
}

/** One tile by itself, then other edits of it. */
export function upscaled(prompt: string, ...edits: DrawingEdit[]): Drawing {
  return drawingOf(prompt, [U1, ...edits])
}

export const U1: DrawingEdit = { do: 'upscale', tile: 1 }

export function photoNamed(name: string, changes: Partial<Photo> = {}): Photo {
  return {
    url: `https://example.com/${name}.jpg`,
    width: 300,
    height: 200,
    colours: ['#3b78c9', '#f6f1e8', '#25242b'],
    ...changes,
  }
}
