import { formatDuration } from '../../../engine/clock/duration.ts'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import { pluralize } from '../../../engine/wording.ts'
import {
  explore,
  SearchInterruptedError,
  type Exploration,
  type Progress,
  type RunClient,
} from '../../../judge/explore/index.ts'
import type { Scenario } from '../../../scenario/vocabulary/types.ts'
import type { Terminal } from '../../terminal/command.ts'
import type { ExploreRequest } from './request.ts'

/**
 * Searches the client from one scenario, and shows how far it is.
 * @param describeStart describes the starts of the client so far, for a hint after the baseline run.
 * @returns undefined if it was interrupted during the baseline run.
 */
export async function searchScenario(
  run: RunClient,
  scenario: Scenario,
  request: ExploreRequest,
  terminal: Terminal,
  describeStart: () => string | undefined = () => undefined,
): Promise<Exploration | undefined> {
  const interrupt = new AbortController()
  void terminal.interrupted.then(() => interrupt.abort())
  const onProgress = reportProgress(terminal, describeStart)
  try {
    return await explore(run, {
      ...request,
      scenario,
      hasExitCode: true,
      isVirtualTime: request.isVirtualTime,
      signal: interrupt.signal,
      onProgress,
    })
  } catch (error) {
    if (error instanceof SearchInterruptedError) return undefined
    throw error
  } finally {
    terminal.progress?.('')
  }
}

/** A log gets a line after this many runs, or after this time. */
const runsPerLine = 50
const msPerLine = 30_000

/** Shows how far a search is: in one line of a terminal, or now and then in a log. */
function reportProgress(
  terminal: Terminal,
  describeStart: () => string | undefined,
): (progress: Progress) => void {
  let [printedRuns, printedMs] = [0, hostTimers.elapsedMs()]
  let isFirst = true
  return (progress) => {
    const line = describeProgress(progress)
    if (isFirst) {
      isFirst = false
      const slowStart = describeStart()
      if (slowStart !== undefined) terminal.warn(`hint: ${slowStart}`)
      if (progress.leftMs >= msPerLine) terminal.warn(line)
    }
    if (terminal.progress) return terminal.progress(line)
    const nowMs = hostTimers.elapsedMs()
    const runs = progress.runs + progress.repeated
    if (runs - printedRuns < runsPerLine && nowMs - printedMs < msPerLine) return
    terminal.warn(line)
    ;[printedRuns, printedMs] = [runs, nowMs]
  }
}

/** `41/77 runs, 3 mistakes, about 12s left: hang @ video.poll` */
function describeProgress(progress: Progress): string {
  const { runs, planned, repeated, repetitions, mistakes, leftMs, idle, latest } = progress
  const repeating = repetitions === 0 ? '' : `, ${repeated}/${repetitions} repeated`
  const waiting = idle === 0 ? '' : `, ${idle} waiting for a response that never comes`
  const left = formatDuration(Math.ceil(leftMs / 1_000) * 1_000)
  return `${runs}/${planned} runs, ${pluralize(mistakes, 'mistake')}${repeating}${waiting}, about ${left} left: ${latest}`
}
