import type { Expect, TaskExpectation } from '../../scenario/vocabulary/types.ts'
import type { ExpectedPlace } from './habit.ts'

/** The end that the client must reach, as far as the gateway determines it. */
export const endOfPlace = ({ mustFail, mayFail }: ExpectedPlace): Expect =>
  mustFail ? { command: 'fails' } : mayFail ? { command: 'any' } : {}

/** The client ends. */
export const ends = ({ mustFail, allow }: ExpectedPlace): Expect => ({
  command: mustFail ? 'fails' : 'any',
  allow,
})

/** The client submits no more than in the baseline run. It may submit less, and report what it could not know. */
export function paysOnce({ op, baseline: { verdict, exchanges }, allow }: ExpectedPlace): Expect {
  if (verdict.tasks.length === 0) {
    const sent = exchanges.filter(({ operation }) => operation === op).length
    return { requests: [{ op: op!, count: { max: Math.max(1, sent) } }], command: 'any', allow }
  }
  const tasks = countTasks(verdict.tasks).map(({ count, ...each }) => ({ ...each, count: { max: count } }))
  return { tasks: tasks as TaskExpectation[], command: 'any', allow }
}

/** The client succeeds. Where the gateway fails for good, its report does not show the mistake. */
export function survives(place: ExpectedPlace): Expect | undefined {
  return place.mustFail ? undefined : (tasksSucceed(place) ?? { command: 'passes', allow: place.allow })
}

/** The client has the right result, or reports a failure. */
export function isRight(place: ExpectedPlace): Expect | undefined {
  const { mustFail, allow } = place
  return mustFail ? { command: 'fails', allow } : (tasksSucceed(place) ?? prints(place))
}

/** The same. Where the client may fail, the scenario is for one that can't do without the failure. */
export function reportsOrIsRight(place: ExpectedPlace): Expect | undefined {
  return place.mayFail ? { command: 'fails', allow: place.allow } : isRight(place)
}

/** The client has its file, or reports a failure if it may fail. */
export function hasFileOrReports(place: ExpectedPlace): Expect | undefined {
  const { artifacts } = place.base.expect
  return place.mayFail && artifacts ? { artifacts, command: 'any', allow: place.allow } : isRight(place)
}

/** The client prints what it printed in the baseline run, or reports a failure. Tasks don't show a wrong text. */
export function printsTheSame(place: ExpectedPlace): Expect | undefined {
  const { mustFail, allow } = place
  return mustFail ? { command: 'fails', allow } : prints(place)
}

function tasksSucceed({ baseline, base, allow }: ExpectedPlace): Expect | undefined {
  const { verdict, operations } = baseline
  const { artifacts } = base.expect
  const successOf = (kind: string): string => operations.lifecycleOf(kind)!.roles.success
  const succeeded = verdict.tasks.filter(({ kind, status }) => status === successOf(kind))
  if (succeeded.length === 0) return undefined
  // A client may cancel its other tasks, and not always the same ones.
  const isAll = succeeded.length === verdict.tasks.length
  return {
    tasks: countTasks(succeeded).map(
      ({ count, ...each }) =>
        ({
          ...each,
          count: isAll ? count : { min: count },
          status: successOf(each.kind),
        }) as TaskExpectation,
    ),
    ...(artifacts && { artifacts }),
    allow,
  }
}

const prints = ({ baseline: { result }, allow }: ExpectedPlace): Expect | undefined =>
  isPrinted(result) ? { command: { stdout: { matches: wholeLine(result) } }, allow } : undefined

/** A client that repeats a part of a text prints the right text, too, but not as a line. */
function wholeLine(line: string): string {
  const parts = line.split(masked).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return `^\\s*${parts.join('\\S+')}\\s*$`
}

/** What stands for words that differ in each run: see `normalizeResult`. */
const masked = /\$\{(?:url|host|runDir)\}|\btask\b|\btime\b|…s/

/** Whether a result is the output of a command. */
const isPrinted = (result: string): boolean =>
  result !== '' && result.length <= 1_000 && !/^[[{]/.test(result)

const countTasks = (tasks: readonly { readonly kind: string }[]): { kind: string; count: number }[] =>
  [...new Set(tasks.map(({ kind }) => kind))].map((kind) => ({
    kind,
    count: tasks.filter((each) => each.kind === kind).length,
  }))
