/** Something that the format allows and that can't be meant, or that deserves a second look. */
export interface Finding {
  /** `mistake`: it can't do what it says. `advice`: it can, and there is a better way. */
  readonly severity: 'mistake' | 'advice'
  readonly place: readonly PropertyKey[]
  /** What it is about, what is wrong, and how to mend it. */
  readonly message: string
}
