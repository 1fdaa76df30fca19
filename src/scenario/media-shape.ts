import type { MediaShape } from './rules/rule.ts'

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

/** Bounds of what is drawn and encoded for a rule: it is to break clients, not the machine. */
export const most = { seconds: 120, side: 2048, framesPerSecond: 60 } as const
const minSide = 16

/** A shape that can't be. The message names the key and says what to write. */
export class MediaShapeError extends Error {
  override name = 'MediaShapeError'
}

/**
 * Reads what a rule wants bytes to be.
 * @throws {MediaShapeError} for a path that isn't absolute, and numbers out of bounds.
 */
export function readMediaShape({ file, seconds, size, fps }: MediaShape): MadeMedia {
  if (file !== undefined && !/^(?:\/|[A-Za-z]:[\\/])/.test(file)) {
    throw new MediaShapeError(`media.file is "${file}": give an absolute path`)
  }
  return {
    ...(file === undefined ? {} : { file }),
    ...(seconds === undefined ? {} : { seconds: wholeNumber('seconds', seconds, most.seconds) }),
    ...(size === undefined ? {} : readSize(size)),
    ...(fps === undefined ? {} : { framesPerSecond: wholeNumber('fps', fps, most.framesPerSecond) }),
  }
}

/** Without the file: what can be said of a film that is made. */
export function sizeAndLength({ file: _file, ...made }: MadeMedia): Omit<MadeMedia, 'file'> {
  return made
}

function wholeNumber(name: string, value: number, largest: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= largest) return value
  throw new MediaShapeError(`media.${name} is ${value}: give a whole number from 1 to ${largest}`)
}

/** Films have even sides. */
function readSize(size: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? []
  const sides = [Number(width), Number(height)] as const
  if (sides.every((side) => side >= minSide && side <= most.side && side % 2 === 0)) {
    return { width: sides[0], height: sides[1] }
  }
  throw new MediaShapeError(
    `media.size is "${size}": write WIDTHxHEIGHT with even sides from ${minSide} to ${most.side}`,
  )
}
