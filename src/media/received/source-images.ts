import type { Drawing, Photo } from '../../pictures/composition/drawing.ts'

/** The bytes that a picture is made of: photos and masks by their names. */
export type SourceImages = ReadonlyMap<string, Uint8Array>

/** The name of a mask; the same file may have been sent as a photo, too. */
export function maskName(digest: string): string {
  return `mask ${digest}`
}

/** The name of a picture of our own that another is made of. */
export function drawingName(drawing: Drawing): string {
  return JSON.stringify(drawing)
}

/** The name of a photo; none where nothing but its address is known. */
export function photoName({ digest, drawing }: Photo): string | undefined {
  return digest ?? (drawing && drawingName(drawing))
}
