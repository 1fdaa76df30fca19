import type { MediaShape } from './vocabulary/types.ts'

/** What a rule wants bytes to be, read: what it leaves out is as the task has it. */
export interface MadeMedia {
  /** The absolute path of a file. */
  readonly file?: string
  /** Whole seconds. */
  readonly seconds?: number
  /** Even numbers of pixels. */
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

/** The properties of a clip that is made, not served from a file. */
export function sizeAndLength({ file: _file, ...made }: MadeMedia): Omit<MadeMedia, 'file'> {
  return made
}
