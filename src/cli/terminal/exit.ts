/** Ends the process, or in a worker the thread. */
export const exitProcess: (code?: number) => never = process.exit.bind(process)

/**
 * Lets `process.exit` throw. Code of a user, such as the definition of an API, would end a command as if it had succeeded;
 * an error names its place.
 */
export function refuseExits(): void {
  const refuse: typeof process.exit = (code) => {
    const error = new Error(`process.exit(${code ?? ''}) was called. Throw an error instead`)
    Error.captureStackTrace(error, refuse)
    throw error
  }
  process.exit = refuse
}
