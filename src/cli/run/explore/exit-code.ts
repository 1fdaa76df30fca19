import {
  explainSentOnlyOnce,
  type Exploration,
  type ReportedExploration,
} from '../../../judge/explore/index.ts'
import { explainNothingAccepted } from '../../../judge/index.ts'
import { exitCodes, type Terminal } from '../../terminal/command.ts'
import type { CommandRun } from './explored-command.ts'

/** What an exit code depends on. */
export interface ExploreResult {
  /** The codes of searches that could not begin, in the order of the scenarios. */
  readonly baselineCodes: readonly number[]
  readonly explorations: readonly ReportedExploration[]
  /** Whether `--strict` demands that everything was tried and judged. */
  readonly needsAll: boolean
}

/**
 * The exit code of `explore`, from the worst to the best: a client that fails by itself, new findings, nothing tried, not
 * everything tried.
 */
export function exitCodeOf({ baselineCodes, explorations, needsAll }: ExploreResult): number {
  const [failure] = baselineCodes
  if (failure !== undefined) return failure
  if (explorations.some(({ findings }) => findings.some(({ fails }) => fails)))
    return exitCodes.expectationFailed
  if (explorations.some(({ cells }) => cells.length === 0)) return exitCodes.notAllTried
  if (needsAll && explorations.some(isPartial)) return exitCodes.notAllTried
  return exitCodes.ok
}

/** Explains why nothing was tried. @returns undefined if every exploration has played a fault. */
export function explainUntried(
  explorations: readonly ReportedExploration[],
  { isSelection, hasBudget }: { readonly isSelection: boolean; readonly hasBudget: boolean },
): string | undefined {
  const untried = explorations.find(({ cells }) => cells.length === 0)
  if (!untried) return undefined
  const problem = 'Nothing was tried.'
  if (untried.left.length > 0)
    return `${problem} The search ended before the first run with a fault.${hasBudget ? ' Raise --budget.' : ''}`
  return isSelection ? `${problem} No request of the client fits --only and --skip.` : problem
}

function isPartial({ left, cells }: ReportedExploration): boolean {
  return left.length > 0 || cells.some(({ state }) => state === 'not judged')
}

/** Prints why a client fails in the baseline run. @returns the exit code; undefined if it succeeds. */
export function explainBaseline(
  { baseline, sentOnlyOnce }: Exploration,
  { warn }: Terminal,
): number | undefined {
  const { ended, reason, output, noRequests, exitCode } = baseline as CommandRun
  const refused = explainNothingAccepted(baseline.exchanges)
  if (ended === 'succeeded' && noRequests === undefined && refused === undefined) return undefined
  if (output.trim() !== '') warn(output.trim())
  if (noRequests !== undefined) {
    warn(
      `error: ${sentOnlyOnce ? explainSentOnlyOnce(`the folder of the run: --env 'MY_STATE_DIR=\${runDir}'`) : noRequests}`,
    )
    return ended === 'failed' ? exitCode : exitCodes.noRequests
  }
  if (refused !== undefined) warn(`error: ${refused}`)
  if (ended === 'succeeded') return exitCodes.expectationFailed
  warn(`error: The client fails in the baseline run, in which nothing goes wrong: ${reason}`)
  return ended === 'failed' ? exitCode : exitCodes.stalled
}
