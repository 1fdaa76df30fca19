import { rulePrefix } from '../../apis/define/exploration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { ClientRun } from '../runs/client-run.ts'
import { multibyteText } from '../../text/write/multibyte.ts'
import { findCommonResult, missingLines } from '../runs/results.ts'
import { hitFirst, type RunContext } from '../runs/run-context.ts'

export const shorten = (result: string): string => JSON.stringify(result.slice(0, 100))

type Result = ClientRun['verdict']['results'][number]

const isDamaged = ({ path, verdict }: Result): boolean => path.startsWith('artifacts') && verdict === 'fail'

/**
 * The file that the client has, and that is damaged only in this run. It can't have downloaded a task that it doesn't know, and one
 * that has no file in the baseline run need not have one here.
 */
export function findDamaged({ run, baselineRun, expected, surplus }: RunContext) {
  if (run.ended !== 'succeeded' || expected === 'report' || surplus > 0) return undefined
  const { results } = baselineRun.verdict
  if (results.some(isDamaged)) return undefined
  const hadNone = ({ path }: Result): boolean =>
    results.some((each) => each.path === path && each.verdict === 'not-exercised')
  return run.verdict.results.find((each) => isDamaged(each) && !hadNone(each))
}

/** The file of a finished task that the client never downloaded, only in this run. */
export function findSkipped(context: RunContext) {
  const damaged = findDamaged(context)
  return damaged?.requests.length === 0 ? damaged : undefined
}

/** How the result differs from that of the baseline run; undefined if it doesn't, or can't be compared. */
export function describeDifference(context: RunContext): string | undefined {
  const { run, baselineRun, expected, isSame, isComparable, surplus } = context
  if (run.ended !== 'succeeded' || expected === 'report') return undefined
  if (isSame || !isComparable || surplus > 0) return undefined
  return `${shorten(run.result)} instead of ${shorten(baselineRun.result)}`
}

/** What a command lacks that succeeds with less than in the baseline run; undefined if it lacks nothing, or printed something else. */
export function describeLoss(context: RunContext): string | undefined {
  const { run, baselineRun, hasExitCode, isComparable, surplus } = context
  if (run.ended !== 'succeeded' || !hasExitCode || !isComparable || surplus > 0) return undefined
  const expected = context.expectedResult ?? findCommonResult([baselineRun])!
  const isOther = run.lines?.some((line) => line !== '' && !expected.anyLines.includes(line)) !== false
  const missing = missingLines(run, expected)
  return isOther || missing.length === 0
    ? undefined
    : `it succeeds without ${missing.map(shorten).join(', ')}`
}

/** What a client returns that succeeds where it must report; undefined if it reports, or if its surplus was judged. */
export function describeSuccess({ run, expected, isSame, surplus }: RunContext): string | undefined {
  if (run.ended !== 'succeeded' || expected !== 'report' || surplus > 0) return undefined
  return isSame ? 'the same result as in the baseline run' : `it succeeds with ${shorten(run.result)}`
}

/** Whether the client requested an affected text again, perhaps with a higher limit, and received it completely. */
export function hasRepeated(context: RunContext): boolean {
  const { run, baselineRun } = context
  const isLike =
    (hit: JournalEntry) =>
    ({ operation, identity, prompt }: JournalEntry): boolean =>
      operation === hit.operation && (identity === hit.identity || (prompt !== null && prompt === hit.prompt))
  return hitFirst(context).every((hit) => {
    const again = run.exchanges.filter(isLike(hit))
    const isComplete = again.some(
      ({ number, status, content, rules }) =>
        number > hit.number &&
        status === 200 &&
        content === 'complete' &&
        !rules.some((rule) => rule.startsWith(rulePrefix)),
    )
    return isComplete && again.length > baselineRun.exchanges.filter(isLike(hit)).length
  })
}

/**
 * Whether the result is that of the baseline run, but with only the part of the text that arrived, which may be nothing.
 */
export function takesPart({ run, baselineRun, schedule }: RunContext): boolean {
  const withoutNumbers = (result: string): string => result.replaceAll(/\d+/g, '#').trim()
  const texts = schedule.parts.flatMap(({ injection, place }) => injection.effect(place).answer?.text ?? '')
  const results = texts.flatMap((text) => [
    ...(multibyteText.test(baselineRun.result) ? [baselineRun.result.replace(multibyteText, text)] : []),
    text,
  ])
  return ['undefined', 'null', '""', ...results].some(
    (each) => withoutNumbers(each) === withoutNumbers(run.result),
  )
}
