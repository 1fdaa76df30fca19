/** The callers of this function, as text, one a line. @param limit how many lines. */
export function readStack(limit: number): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = limit
  let stack: unknown = new Error().stack
  // A program may format its stacks in its own way, such as as a list of call sites.
  if (typeof stack !== 'string') {
    Error.prepareStackTrace = undefined as never
    stack = new Error().stack
    Error.prepareStackTrace = prepareStackTrace!
  }
  Error.stackTraceLimit = stackTraceLimit
  return String(stack).split('\n').slice(1)
}
