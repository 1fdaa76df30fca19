/** Gets each call of a function of a definition. Functions are pure and quick: one that runs for seconds never ends. */
export interface CallWatch {
  /** @returns what `leave` gets. */
  readonly enter: (operation: string, part: string) => number
  readonly leave: (outer: number) => void
}

let watch: CallWatch | undefined

/** Watches the calls from now on. */
export function watchFunctions(next: CallWatch): void {
  watch = next
}

/** Calls a function of a definition. @param part the key of the function, such as `reply`. */
export function runWatched<Result>(operation: string, part: string, call: () => Result): Result {
  if (!watch) return call()
  const outer = watch.enter(operation, part)
  try {
    return call()
  } finally {
    watch.leave(outer)
  }
}
