/** A valid part of a scenario that is probably not intended, or that has a better alternative. */
export interface Finding {
  /** `mistake`: it can't have the intended effect. `advice`: it works, but there is a better way. */
  readonly severity: 'mistake' | 'advice'
  readonly place: readonly PropertyKey[]
  /** What is affected, what is wrong, and how to correct it. */
  readonly message: string
}
