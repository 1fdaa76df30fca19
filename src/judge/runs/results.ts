import type { ClientRun } from './client-run.ts'

/** The result of runs without a fault. */
export interface ExpectedResult {
  /** A value, or the last line of a command. */
  readonly result: string
  /** Whether it is the same for all durations of tasks. Otherwise, concurrent jobs may end in any order. */
  readonly isOrdered: boolean
  /** The lines that all these runs printed, and those that any of them did. */
  readonly lines: readonly string[]
  readonly anyLines: readonly string[]
}

/** What runs without a fault have in common; undefined if their results differ by more than order. */
export function findCommonResult(runs: readonly ClientRun[]): ExpectedResult | undefined {
  const [first] = runs as readonly [ClientRun, ...ClientRun[]]
  const { result } = first
  const isOrdered = runs.every((run) => run.result === result)
  const all: (readonly string[])[] = runs.map(({ lines = [] }) => lines.filter((line) => line !== ''))
  const lines = all.reduce(intersect)
  const common = { result, isOrdered, lines, anyLines: [...new Set(all.flat())] }
  if (isOrdered) return common
  const isSame = (run: ClientRun): boolean =>
    (run.lines ?? []).length > 0 ? lines.length > 0 : sortArrays(run.result) === sortArrays(result)
  return runs.every(isSame) ? common : undefined
}

/**
 * Whether a run has the expected result. If order does not count, a command must print all expected lines, end with any of
 * them, and may print more, since attempts print some. The arrays of a value must have the same elements in any order.
 */
export function hasResult(run: ClientRun, expected: ExpectedResult): boolean {
  if (run.result === expected.result) return true
  if (expected.isOrdered) return false
  const { lines = [] } = run
  if (lines.length === 0) return sortArrays(run.result) === sortArrays(expected.result)
  return expected.anyLines.includes(run.result) && missingLines(run, expected).length === 0
}

/** The expected lines that a run did not print. */
export function missingLines({ lines = [] }: ClientRun, expected: ExpectedResult): string[] {
  const left = [...lines]
  return expected.lines.filter((line) => !take(left, line))
}

function intersect(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return some.filter((line) => take(left, line))
}

function take(lines: string[], line: string): boolean {
  const index = lines.indexOf(line)
  if (index >= 0) lines.splice(index, 1)
  return index >= 0
}

/** JSON with the elements of its arrays in one order. Any other text stays. */
function sortArrays(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, part: unknown) =>
      Array.isArray(part) ? part.map((each) => JSON.stringify(each) ?? '').toSorted() : part,
    )
  } catch {
    return text
  }
}
