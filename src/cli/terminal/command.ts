import type { Options } from 'yargs'

/** Where a command writes, and how it learns that it must end. The outermost lines give it the process's. */
export interface Terminal {
  readonly print: (text: string) => void
  readonly warn: (text: string) => void
  /** Passes on the captured output of a command, byte for byte. */
  readonly copyOutput?: (chunk: Uint8Array) => void
  /** Resolves when the user wants the command to end. */
  readonly interrupted: Promise<void>
  /**
   * Shows a line in the place of the one it showed before; an empty one takes it away. Missing where nobody looks on,
   * such as in a pipe.
   */
  readonly progress?: (line: string) => void
  /** The folder the command was called in. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Calls something when the process ends in haste; returns what calls it off. */
  readonly atExit?: (cleanUp: () => void) => () => void
}

/** A command as data. */
export interface Command {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<string, Options>>
  /** What is named behind the command, such as files; none unless it is there. */
  readonly words?: Words
  /** Whether another command may stand behind `--`. */
  readonly wraps?: boolean
  /** More help, below the options. */
  readonly epilogue: string
  /** @returns the exit code. */
  readonly run: (flags: Readonly<Record<string, unknown>>, terminal: Terminal) => Promise<number>
}

/** Words behind a command, in help as `name`. */
export interface Words {
  readonly name: string
  readonly describe: string
  readonly least: number
  readonly most: number
}

/** What a command line asks for. Words are in `flags` under {@link wordsFlag}, a wrapped command under {@link wrappedFlag}. */
export interface Parsed {
  readonly command: Command
  readonly flags: Readonly<Record<string, unknown>>
}

export const wordsFlag = '_'
export const wrappedFlag = '--'

/** The words behind a command. */
export function wordsOf(flags: Readonly<Record<string, unknown>>): string[] {
  return ((flags[wordsFlag] as unknown[] | undefined) ?? []).map(String)
}

/** The command that stands behind `--`, with its arguments; empty when there is none. */
export function wrappedOf(flags: Readonly<Record<string, unknown>>): string[] {
  return (flags[wrappedFlag] as string[] | undefined) ?? []
}

/** What a person must change before the command can run. The message is all that is shown. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** A file that can't be read, used or written. The message is all that is shown. */
export class FileError extends Error {
  override name = 'FileError'
}

/** The width of help, in columns, unless the terminal is narrower. */
export const helpWidth = 110

/** Exit codes, as the docs list them. */
export const exitCodes = {
  ok: 0,
  usage: 2,
  expectationFailed: 20,
  badFile: 22,
  cannotStart: 23,
  stalled: 24,
  noRequests: 25,
  interrupted: 130,
} as const
