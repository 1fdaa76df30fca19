import { sampleDuration } from '../random/distribution.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Plan, Step } from './plan.ts'
import type { TaskShape, TimelineStep } from './task-shape.ts'

/** A timeline that can't be. The message says which line, and what to write instead. */
export class TimelineError extends Error {
  override name = 'TimelineError'
}

/**
 * A plan that follows a script line by line: each says what the task is from an instant on, or whom it waits for. A line
 * without a status keeps the one before.
 *
 * @throws {TimelineError} for a state nobody knows, times that go back, and a percentage that can't be read.
 */
export function scriptedPlan(
  lifecycle: Lifecycle,
  { reason }: TaskShape,
  timeline: readonly TimelineStep[],
  draw: (purpose: string) => number,
): Plan {
  const { states, initial, roles } = lifecycle
  const steps: { -readonly [Name in keyof Step]: Step[Name] }[] = [{ state: initial, lastsMs: null }]
  let sinceMs = 0
  for (const [index, line] of timeline.entries()) {
    const last = steps.at(-1)!
    if ('waitFor' in line) {
      const timeoutMs = sampleDuration(line.timeout ?? 'forever', draw(`timeline.${index}`))
      Object.assign(last, {
        lastsMs: timeoutMs,
        awaits: line.waitFor,
        expires: roles.failure,
        expiryReason: line.reason ?? '',
      })
      // What comes behind is counted from the answer.
      sinceMs = 0
      continue
    }
    const atMs = sampleDuration(line.after, draw(`timeline.${index}`))
    const state = line.status ?? last.state
    if (!states[state]) {
      throw new TimelineError(
        `timeline[${index}]: there is no state "${state}". Use ${Object.keys(states).join(', ')}.`,
      )
    }
    const progress = progressOf(line.progress, index)
    if (last.awaits !== undefined) {
      steps.push({ state, lastsMs: null, ...progress })
      sinceMs = 0
      continue
    }
    if (atMs !== null && atMs < sinceMs) {
      throw new TimelineError(
        `timeline[${index}]: it lies before the line in front of it. Put lines in order of their times.`,
      )
    }
    if (atMs === null) break
    last.lastsMs = atMs - sinceMs
    sinceMs = atMs
    if (last.lastsMs === 0 && steps.length === 1) steps.pop()
    steps.push({ state, lastsMs: null, ...progress })
  }
  return reason === undefined ? { steps } : { steps, reason }
}

function progressOf(progress: number | string | undefined, index: number): { progress?: number } {
  if (progress === undefined) return {}
  const percent = typeof progress === 'number' ? progress : Number.parseFloat(progress)
  if (percent >= 0 && percent <= 100) return { progress: percent }
  throw new TimelineError(`timeline[${index}]: progress is ${JSON.stringify(progress)}. Use 0 to 100.`)
}
