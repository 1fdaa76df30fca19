/** A test that failed. */
export interface FailedTest {
  /** Its file, its suites and its own name. */
  readonly path: readonly string[]
  /** The command that runs tests, if it is known, such as `npx jest`. */
  readonly runner: string | undefined
}

/** Writes a report of a failed test. Returns a line for its message; undefined if no reports were requested. */
export type Reporter = (test: FailedTest, message: string) => string | undefined

/** A process may load both module formats: matchers of one take a simulator of the other. */
const key = Symbol.for('greenroom.reporters')

/** By what `expect()` takes: a simulator, a namespace, or a verdict. Matchers load no simulator, so these come from one. */
const reporters = ((globalThis as { [key]?: WeakMap<object, Reporter> })[key] ??= new WeakMap())

/** Lets failed assertions about a subject be reported. */
export function setReporter<Subject extends object>(subject: Subject, reporter: Reporter): Subject {
  reporters.set(subject, reporter)
  return subject
}

/** Reports a failed assertion about a subject. */
export function reportFailure(subject: object, test: FailedTest, message: string): string | undefined {
  return reporters.get(subject)?.(test, message)
}
