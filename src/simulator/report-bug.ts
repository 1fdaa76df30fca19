/** Prints an internal error of a simulator without `onWarning`. The client only gets a 500. */
export function reportBug(message: string): void {
  console.error(
    `greenroom: internal error: ${message}. This is a bug in greenroom or in code that you passed to it.`,
  )
}
