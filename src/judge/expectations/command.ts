import { fitsPattern } from '../../scenario/schema/patterns.ts'
import { placeCheck, type CommandOutcome, type PlacedCheck } from './check.ts'
import type { CommandExpectation, Expect } from '../../scenario/vocabulary/types.ts'

type ExpectedOutput = NonNullable<CommandExpectation['stdout']>
type ExpectedFile = NonNullable<CommandExpectation['file']>

/** Exit codes by their names. */
const ends = { passes: 0, fails: 'nonzero', any: 'any' } as const

/** The expectation of the command's end, with its short form written out. */
export function commandExpectation({ command }: Expect): CommandExpectation {
  return typeof command === 'string' ? { exit: ends[command] } : (command ?? {})
}

/** Creates the checks of the end of the command. */
export function commandChecks(expect: Expect): PlacedCheck[] {
  const { exit, stdout, stderr, file } = commandExpectation(expect)
  const place = typeof expect.command === 'string' ? ['command'] : ['command', 'exit']
  return [
    ...(exit === undefined
      ? []
      : [createCheck(place, formatExit(exit), (outcome) => findExitProblem(exit, outcome))]),
    ...(stdout
      ? [
          createCheck(['command', 'stdout'], formatOutput('output', stdout), (outcome) =>
            findOutputProblem(stdout, outcome.stdout, outcome.stdoutBytes),
          ),
        ]
      : []),
    ...(stderr
      ? [
          createCheck(['command', 'stderr'], formatOutput('error', stderr), (outcome) =>
            findOutputProblem(stderr, outcome.stderr ?? '', outcome.stderrBytes),
          ),
        ]
      : []),
    ...(file
      ? [createCheck(['command', 'file'], formatFile(file), (outcome) => findFileProblem(file, outcome))]
      : []),
  ]
}

function createCheck(
  place: readonly string[],
  expected: string,
  findProblem: (outcome: CommandOutcome) => string | undefined,
): PlacedCheck {
  return placeCheck(place, ({ command }) => {
    if (!command) return { verdict: 'not-applicable', expected, actual: 'no command was run', requests: [] }
    const problem = findProblem(command)
    const verdict = problem === undefined ? 'pass' : 'fail'
    return { verdict, expected, actual: problem ?? 'as expected', requests: [] }
  })
}

function formatExit(exit: NonNullable<CommandExpectation['exit']>): string {
  if (exit === 'any') return 'ends'
  return exit === 'nonzero' ? 'exits with a code other than 0' : `exits with ${exit}`
}

function findExitProblem(
  expected: NonNullable<CommandExpectation['exit']>,
  { exit, signal }: CommandOutcome,
): string | undefined {
  if (exit === null) return 'it did not end by itself'
  if (expected === 'any') return undefined
  // A program that was killed or crashed did not report a failure.
  const fits = expected === 'nonzero' ? exit !== 0 && signal === undefined : exit === expected
  if (fits) return undefined
  const advice =
    expected === 0 && signal === undefined ? '. If it should report a failure, expect command: fails' : ''
  return `exited with ${exit}${signal === undefined ? '' : ` (${signal})`}${advice}`
}

function formatOutput(stream: 'output' | 'error', { contains, matches }: ExpectedOutput): string {
  const parts = [
    ...(contains === undefined ? [] : [`contains ${JSON.stringify(contains)}`]),
    ...(matches === undefined ? [] : [`has a line that matches /${matches}/`]),
  ]
  return `standard ${stream} ${parts.join(' and ')}`
}

function findOutputProblem(
  { contains, matches }: ExpectedOutput,
  text: string,
  wholeBytes: number | undefined,
): string | undefined {
  const isFound =
    (contains === undefined || text.includes(contains)) &&
    (matches === undefined || text.split(/\r?\n/).some((line) => fitsPattern(matches, line)))
  if (isFound) return undefined
  if (wholeBytes !== undefined) return `not found in the end of ${wholeBytes} bytes of output`
  const lastLine = text.trimEnd().split(/\r?\n/).at(-1) ?? ''
  return lastLine === '' ? 'the output is empty' : `not found; the last line is ${shorten(lastLine)}`
}

function formatFile({ path, sha256, equals }: ExpectedFile): string {
  if (sha256 !== undefined) return `writes ${path} with SHA-256 ${sha256.toLowerCase()}`
  return equals === undefined ? `writes ${path}` : `writes ${path} with the text ${shorten(equals)}`
}

function findFileProblem(
  { path, sha256, equals }: ExpectedFile,
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
