import type { MediaShape } from './vocabulary/types.ts'

/** The media properties that a rule sets. Missing ones come from the task. */
export interface MadeMedia {
  /** The absolute path of a file. */
  readonly file?: string
  /** Whole seconds. */
  readonly seconds?: number
  /** In pixels; even numbers. */
  readonly width?: number
  readonly height?: number
  readonly framesPerSecond?: number
}

/** Reads a media shape that was checked when its rule was added. */
export function readMediaShape({ file, seconds, size, fps }: MediaShape): MadeMedia {
  const [width, height] = size?.split('x').map(Number) ?? []
  return {
    ...(file !== undefined && { file }),
    ...(seconds !== undefined && { seconds }),
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(fps !== undefined && { framesPerSecond: fps }),
  }
}

/** The properties of a rendered clip, as opposed to one served from a file. */
export function sizeAndLength({ file: _file, ...made }: MadeMedia): Omit<MadeMedia, 'file'> {
  return made
}
