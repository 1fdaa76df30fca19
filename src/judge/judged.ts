/** Where something stands in a file; both counted from 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/**
 * What became of an expectation.
 *
 * @example
 * using run = sim.watch({ tasks: [{ status: 'SUCCESS' }] })
 * const { results } = await run.verdict()
 * const bad: Judgement[] = ['fail', 'not-exercised']
 * results.filter(({ verdict }) => bad.includes(verdict)).map(({ path }) => path) // → ['tasks[0]', …]
 */
export type Judgement = 'pass' | 'fail' | 'not-exercised' | 'not-applicable'

/** What a part of the run has to say to an expectation. */
export interface Finding {
  readonly verdict: Judgement
  /** What was expected, and what was found, in words. */
  readonly expected: string
  readonly actual: string
  /** The requests that show it, the first few. */
  readonly requests: readonly number[]
  /** What may be a mistake: it is reported, and only a strict run fails for it. */
  readonly doubtful?: Doubt
}

/** What may be a mistake, though a correct client can't avoid it. */
export interface Doubt {
  readonly message: string
  readonly requests: readonly number[]
}

/** How many offending requests are named. */
export const maxListedNames = 5

export const named = (numbers: readonly number[]): number[] => numbers.slice(0, maxListedNames)
