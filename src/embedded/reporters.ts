/** A test that failed. */
export interface FailedTest {
  /** The file, the suites and the name of the test. */
  readonly path: readonly string[]
  /** The command that runs tests, such as `npx jest`; undefined if unknown. */
  readonly runner: string | undefined
}

/** A failed assertion. */
interface FailedAssertion {
  /** The argument of `expect()`: a simulator, a namespace, or a verdict. */
  readonly subject: object
  readonly namespace: string
  readonly test: FailedTest
  readonly message: string
}

/** Writes a report. Returns a line for the message. */
type Reporter = (assertion: FailedAssertion) => string

/** By simulator, if reports were requested. */
const reporters = new WeakMap<object, Reporter>()

type SubjectReporter = (test: FailedTest, message: string) => string | undefined

/** A process may load both module formats, and matchers of one accept a simulator of the other. */
const key = Symbol.for('greenroom.reporters')

/** Matchers don't load the simulator, so it registers these subjects. */
const subjects = ((globalThis as { [key]?: WeakMap<object, SubjectReporter> })[key] ??= new WeakMap())

/** Sets the reporter of failed assertions about a simulator; undefined turns reports off. */
export function setReporter(simulator: object, reporter: Reporter | undefined): void {
  if (reporter) reporters.set(simulator, reporter)
  else reporters.delete(simulator)
}

/** Lets reporters note assertions on a namespace handle, or on its verdict. */
export function reportNamespace<Subject extends object>(
  subject: Subject,
  simulator: object,
  namespace: string,
): Subject {
  subjects.set(subject, (test, message) => reporters.get(simulator)?.({ subject, namespace, test, message }))
  return subject
}

/** Reports a failed assertion about a subject. Returns a line for its message; undefined if no reports were requested. */
export function reportFailure(subject: object, test: FailedTest, message: string): string | undefined {
  return subjects.get(subject)?.(test, message)
}

/**
 * The path of a test file relative to the working folder. It has slashes on Windows too, since the name of a report depends
 * on it.
 */
export function shortenTestPath(path: string, folder: string): string {
  const toSlashes = (each: string): string =>
    /^(?:[a-z]:|\\\\)/i.test(each) ? each.replaceAll('\\', '/') : each
  const [file, start] = [toSlashes(path), `${toSlashes(folder)}/`]
  return file.startsWith(start) ? file.slice(start.length) : file
}
