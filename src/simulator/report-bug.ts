/** Prints an internal error, for simulators that have no `onWarning`: the client gets only a 500. */
export function reportBug(message: string): void {
  console.error(
    `greenroom: internal error: ${message}. This is a bug in greenroom or in code that you passed to it.`,
  )
}
