/** The vendor's words for the states of a job: of several, the first. */
export interface JobStates {
  readonly queue: string
  readonly work: string
  readonly success: string
  readonly failure: string
  readonly cancelling?: string
  readonly cancelled?: string
}

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
