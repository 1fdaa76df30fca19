/**
 * The vendor's words for the states of a job: one for each state, or several.
 *
 * @example
 * const states: StateWords = {
 *   queue: ['PENDING', 'THROTTLED'],
 *   work: 'RUNNING',
 *   success: 'SUCCEEDED',
 *   failure: 'FAILED',
 * }
 */
export interface StateWords {
  readonly queue: string | readonly string[]
  readonly work: string | readonly string[]
  readonly success: string | readonly string[]
  readonly failure: string | readonly string[]
  /** Between the request that cancels a job and `cancelled`. */
  readonly cancelling?: string | readonly string[]
  readonly cancelled?: string | readonly string[]
}

/** The vendor's words for the states of a job: of several, the first. */
export type JobStates = { readonly [Role in keyof StateWords]: string }

/** Where the results of one medium are. */
export interface ResultPlace {
  /** With `{id}`, and perhaps `{n}`. */
  readonly path: string
  /** Whether `{n}` counts only the files of this medium, not all files of the job. */
  readonly isOwn: boolean
  /** The second name that its links have, instead of the id. */
  readonly alias: string | undefined
  /** How long a link works; undefined without a limit. */
  readonly linkMs: number | undefined
}
