import { alphanumerics, keyedDraws } from '../engine/random/draws.ts'
import {
  judgeEntries,
  readTrace,
  type CollectedRun,
  quoteWord,
  withAbnormalEnd,
  type Verdict,
} from '../judge/index.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { setReporter, type FailedTest } from './reporters.ts'

/** Writes a report to a file whose name it makes safe. Returns a line for the message of the failure. */
export type SaveReport = (name: string, run: Pick<CollectedRun, 'verdict' | 'trace'>) => string

const savers = new WeakMap<Simulator, SaveReport>()

/** Enables reports of failed assertions about a simulator. */
export function setReportSaver(simulator: Simulator, save: SaveReport): void {
  savers.set(simulator, save)
  setReporter(simulator, ({ subject, namespace, test, message }) => {
    const verdict = isVerdict(subject) ? subject : withFailure(judgeClient(simulator, namespace), message)
    return save(nameOfTest(test.path), {
      verdict: ofTest(verdict, test),
      trace: readTrace(simulator, namespace),
    })
  })
}

/** Takes over from the matchers, because a report at the end of a test contains more. */
export function takeReportSaver(simulator: Simulator): SaveReport | undefined {
  setReporter(simulator, undefined)
  return savers.get(simulator)
}

const isVerdict = (subject: unknown): subject is Verdict =>
  Array.isArray((subject as Partial<Verdict>).results)

function judgeClient({ namespaces, control, draws }: Simulator, name: string): Verdict {
  const tasks = control.tasks.list(name)
  return judgeEntries(namespaces.get(name).journal.entries(), { seed: draws.seed, tasks })
}

/** Adds the failure of a test to the verdict of its client, which may have passed. */
export function withFailure(verdict: Verdict, message: string): Verdict {
  return withAbnormalEnd(verdict, 'test', { expected: 'passes', actual: message })
}

/** Adds the name of the test, and the command that repeats it, to a verdict. */
export function ofTest(verdict: Verdict, { path, runner }: FailedTest): Verdict {
  const [file = '', ...names] = path
  const pattern = names.join(' ').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const reproduce = runner === undefined ? null : `${runner} ${quoteWord(file)} -t ${quoteWord(pattern)}`
  return { ...verdict, name: names.join(' > '), file: verdict.file ?? file, reproduce }
}

const maxNameLength = 64
const hashLength = 6

/**
 * A name for files and namespaces: the words of a test's name and a hash of its path.
 * @param nth its number among running tests with the same path.
 */
export function nameOfTest(path: readonly string[], nth = 1): string {
  const hashed = JSON.stringify(nth === 1 ? path : [...path, String(nth)])
  const end = `-${keyedDraws('').text(alphanumerics, hashLength, 'namespace', hashed, 0)}`
  const words = (path.at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return (words.slice(0, maxNameLength - end.length) || 'test') + end
}
