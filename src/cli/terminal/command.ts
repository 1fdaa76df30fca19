import type { Options } from 'yargs'
import { SettingsError } from '../../scenario/options.ts'
import { ScenarioError } from '../../files/error.ts'
import type { Screen } from './screen.ts'

/** The inputs and outputs of a command, except files. `main.ts` connects it to the process. */
export interface Terminal {
  /** Writes a line to standard output. */
  readonly print: (text: string) => void
  /** Writes a line to standard error. */
  readonly warn: (text: string) => void
  /** Passes on the standard output of a child process, byte for byte. */
  readonly copyOutput?: (chunk: Uint8Array) => void
  /** Passes on its standard error likewise. */
  readonly copyErrors?: (chunk: Uint8Array) => void
  /** Resolves at the first signal that asks the process to end. */
  readonly interrupted: Promise<void>
  /** Replaces the progress line; an empty text removes it. Missing unless standard error is a terminal. */
  readonly progress?: (line: string) => void
  /** Standard output, for a log. Missing in tests. */
  readonly screen?: Screen
  /** Asks a question and returns the line that was typed. Missing unless input and output are a terminal. */
  readonly ask?: (question: string) => Promise<string>
  /** The working folder. */
  readonly folder: string
  readonly environment: Environment
  /** Registers a clean-up for a sudden exit. Returns a function that removes it. */
  readonly atExit?: (cleanUp: () => void) => () => void
  /** Runs the command line in a worker thread and returns its exit code. Missing inside of one. */
  readonly runInWorker?: () => Promise<number>
}

export type Environment = Readonly<Record<string, string | undefined>>
export type Flags = Readonly<Record<string, unknown>>

/** A command line, parsed. */
export interface CommandInput {
  readonly flags: Flags
  /** The positional arguments. */
  readonly args: readonly string[]
  /** The command after `--` with its arguments; empty without one. */
  readonly wrapped: readonly string[]
}

/** An example: a working command line, and its effect. */
export type Example = readonly [command: string, what: string]

/** A command as data; `commands.ts` has its name and summary. */
export interface Command {
  readonly options: Readonly<Record<string, Options>>
  /** Help of the positional argument. */
  readonly argumentHelp?: string
  /** Whether another command may follow after `--`. */
  readonly wrapsCommand?: boolean
  /** What to write instead of flags that the command lacks. */
  readonly flagAdvice?: Readonly<Record<string, string>>
  /** The paragraphs of help below the options. */
  readonly epilogue: readonly string[]
  /** One or two examples, at the end of the help. */
  readonly examples: readonly Example[]
  /** Whether it runs code of the user in this process, which could block the event loop. */
  readonly runsUserCode?: (flags: Flags, folder: string) => boolean
  /** @returns the exit code. */
  readonly run: (input: CommandInput, terminal: Terminal) => Promise<number>
}

/** The part of a command that the list of commands needs. The rest is loaded on use. */
export interface ListedCommand {
  readonly name: string
  /** The heading in the list of commands. */
  readonly group: string
  /** The positional argument in the syntax of yargs: `<one>`, `[one]`, `<several..>` or `[none or several..]`. */
  readonly argument?: string
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** Thrown for an invalid command line. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Thrown for a file that can't be read, used or written. */
export class FileError extends Error {
  override name = 'FileError'
}

/** Whether an error is about a file, also one that the reader of scenarios, configs and APIs throws. */
export function isFileError(error: unknown): error is Error {
  if (error instanceof SettingsError) return error.file !== undefined
  return error instanceof FileError || error instanceof ScenarioError
}

/** Formats an error. A message that begins with a place stays unchanged, because editors and CI systems look for it. */
export function formatError(message: string): string {
  const hasPlace = /^(?:\S+|.+\.(?:ya?ml|json|[cm]?[jt]s)):\d+:(?:\d+:)? /.test(message)
  return showControls(hasPlace ? message : `error: ${message}`)
}

/** Writes out the control characters of a quoted file, which would change the terminal: `\x1b` for an escape. */
export function showControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Exit codes, as in docs/reference/reports.md#exit-codes. */
export const exitCodes = {
  ok: 0,
  usage: 2,
  expectationFailed: 20,
  badFile: 22,
  cannotStart: 23,
  stalled: 24,
  noRequests: 25,
  notAllTried: 26,
  interrupted: 130,
} as const

/** @throws {UsageError} for an empty value and for a repeated flag. */
export function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  if (value === '') throw new UsageError(`--${name} is empty: give it a value.`)
  throw new UsageError(`--${name} needs one value. Give it once.`)
}

/** The value of a flag; undefined without the flag. */
export function readText(flags: Flags, name: string): string | undefined {
  return flags[name] === undefined ? undefined : requireText(name, flags[name])
}

/** The values of a repeatable flag. */
export function readTextFlags(flags: Flags, name: string): string[] {
  return [flags[name] ?? []].flat().map((value) => requireText(name, value))
}

/** Options of yargs for a flag that may be repeated. */
export function repeatable(describe: string): Options {
  return { type: 'string', array: true, nargs: 1, describe: `${describe}; repeatable` }
}

/** The flag for the file of a recording. */
export const journalFlag = {
  type: 'string',
  describe: 'Record exchanges in this file, as JSON lines, for greenroom show, explain and replay',
} as const satisfies Options

/** Whether this is a CI system, by the variable `CI` that all of them set. */
export function isInCI({ CI = '' }: Environment): boolean {
  return !['', '0', 'false'].includes(CI.trim().toLowerCase())
}
