import { patternOf } from '../../scenario/rules/match/patterns.ts'
import type { CommandExpectation } from './expect.ts'
import type { Finding } from '../judged.ts'

/** The end of a command, as far as expectations need it. */
export interface CommandOutcome {
  /** The exit code as shells count it; null if the run was stopped before. */
  readonly exit: number | null
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string
  /** Standard output, or the end of it. */
  readonly stdout: string
  /** The length of the whole output, if `stdout` is only the end of it. */
  readonly stdoutBytes?: number
  /** The expected file, or why it does not count. */
  readonly file?: WrittenFile | { readonly problem: string }
}

/** A file that a command wrote. */
export interface WrittenFile {
  readonly sha256: string
  /** Missing if the file is too long to be compared as text. */
  readonly text?: string
}

type Judged = readonly [path: readonly (string | number)[], finding: Finding]

/** Judges the end of a command. Without an outcome there was no command. */
export function judgeCommand(wanted: CommandExpectation, outcome: CommandOutcome | undefined): Judged[] {
  const judged: Judged[] = []
  const add = (
    key: string,
    expected: string,
    judge: (outcome: CommandOutcome) => string | undefined,
  ): void => {
    const problem = outcome && judge(outcome)
    const verdict = outcome === undefined ? 'not-applicable' : problem === undefined ? 'pass' : 'fail'
    const actual = outcome === undefined ? 'no command was run' : (problem ?? 'as expected')
    judged.push([['command', key], { verdict, expected, actual, requests: [] }])
  }
  const { exit, stdout, file } = wanted
  if (exit !== undefined) {
    const expected = exit === 'nonzero' ? 'exits with a code other than 0' : `exits with ${exit}`
    add('exit', expected, (ended) => problemOfExit(exit, ended))
  }
  if (stdout) {
    const { contains, matches } = stdout
    const wishes = [
      ...(contains === undefined ? [] : [`contains ${JSON.stringify(contains)}`]),
      ...(matches === undefined ? [] : [`has a line that matches /${matches}/`]),
    ]
    add('stdout', `standard output ${wishes.join(' and ')}`, (ended) => problemOfOutput(stdout, ended))
  }
  if (file) add('file', fileInWords(file), (ended) => problemOfFile(file, ended))
  return judged
}

function problemOfExit(
  wanted: NonNullable<CommandExpectation['exit']>,
  { exit, signal }: CommandOutcome,
): string | undefined {
  if (exit === null) return 'it did not end by itself'
  const ended = `exited with ${exit}${signal === undefined ? '' : ` (${signal})`}`
  // A killed or crashed program reports nothing.
  const fits = wanted === 'nonzero' ? exit !== 0 && signal === undefined : exit === wanted
  return fits ? undefined : ended
}

function problemOfOutput(
  { contains, matches }: NonNullable<CommandExpectation['stdout']>,
  { stdout, stdoutBytes }: CommandOutcome,
): string | undefined {
  const isFound =
    (contains === undefined || stdout.includes(contains)) &&
    (matches === undefined || stdout.split(/\r?\n/).some((line) => patternOf(matches).test(line)))
  if (isFound) return undefined
  if (stdoutBytes !== undefined) return `not found in the end of ${stdoutBytes} bytes of output`
  const lastLine = stdout.trimEnd().split(/\r?\n/).at(-1) ?? ''
  return lastLine === '' ? 'the output is empty' : `not found; the last line is ${shorten(lastLine)}`
}

function fileInWords({ path, sha256, equals }: NonNullable<CommandExpectation['file']>): string {
  if (sha256 !== undefined) return `writes ${path} with SHA-256 ${sha256.toLowerCase()}`
  return equals === undefined ? `writes ${path}` : `writes ${path} with the text ${shorten(equals)}`
}

function problemOfFile(
  { path, sha256, equals }: NonNullable<CommandExpectation['file']>,
  { file = { problem: `there is no file ${path}` } }: CommandOutcome,
): string | undefined {
  if ('problem' in file) return file.problem
  if (sha256 !== undefined && file.sha256 !== sha256.toLowerCase()) return `its SHA-256 is ${file.sha256}`
  if (equals === undefined) return undefined
  if (file.text === undefined) return 'it is too long to be compared as text'
  return file.text === equals ? undefined : `its text is ${shorten(file.text)}`
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
