import type { Result, Verdict } from './verdict.ts'

/** What the runs of one file under several seeds come to. Plain JSON. */
export interface SweepVerdict {
  readonly name: string
  readonly file: string | null
  readonly passed: boolean
  /** In the order in which they ran. */
  readonly runs: readonly Verdict[]
  /** What must be so in at least one of them. */
  readonly sometimes: readonly Result[]
  /** The seeds that failed. */
  readonly failedSeeds: readonly string[]
}

/**
 * Judges a sweep: each run by itself, and what must hold in at least one of them.
 *
 * @param verdicts one for each seed, of the same file.
 * @throws {Error} for no verdict at all.
 */
export function sweep(verdicts: readonly Verdict[]): SweepVerdict {
  const [first] = verdicts
  if (!first) throw new Error('Failed to judge a sweep: it has no runs. Give at least one seed.')
  const sometimes = first.results.filter(isSometimes).map((result) => ofAll(result, verdicts))
  const failed = verdicts.filter(({ passed }) => !passed)
  return {
    name: first.name,
    file: first.file,
    passed: failed.length === 0 && sometimes.every(({ fails }) => !fails),
    runs: verdicts,
    sometimes,
    failedSeeds: failed.map(({ seed }) => seed ?? ''),
  }
}

const isSometimes = ({ path }: Result): boolean => path.startsWith('sometimes[')

function ofAll(result: Result, verdicts: readonly Verdict[]): Result {
  const held = verdicts.filter(({ results }) =>
    results.some(({ path, verdict }) => path === result.path && verdict === 'pass'),
  )
  if (held.length === 0) {
    const actual = `in none of ${verdicts.length} runs`
    return { ...result, verdict: 'fail', fails: true, actual, requests: [] }
  }
  const seeds = held.slice(0, 3).map(({ seed }) => seed)
  const actual = `in ${held.length} of ${verdicts.length} runs, with seed ${seeds.join(', ')}`
  return { ...result, verdict: 'pass', fails: false, actual, requests: [] }
}
