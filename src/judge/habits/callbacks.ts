import type { ScheduledInjection } from '../runs/schedules.ts'
import type { RunContext } from '../runs/run-context.ts'
import { describeDifference } from './results.ts'

/** The injection that concerns callbacks, if there is one. */
function findCallback({ schedule }: RunContext): ScheduledInjection | undefined {
  return schedule.parts.find(
    ({ place, injection }) => place.kind === 'report' || /callback/.test(injection.family),
  )
}

/** The family of an injection that concerns callbacks; undefined for any other. */
export const callbackFamily = (context: RunContext): string | undefined =>
  findCallback(context)?.injection.family

/** Whether a callback reports an end that the client may know by a poll. */
export function isKnownEnd(context: RunContext): boolean {
  const { injection, place } = findCallback(context) ?? {}
  return place?.kind === 'report' && place.isFinal && injection?.family === 'order of callbacks'
}

/** How a callback misled the client: to another result, or to an error. A crash is another habit. */
export function describeMisled(context: RunContext): string | undefined {
  const { run, expected } = context
  if (run.hasCrashed) return undefined
  return run.ended === 'failed' && expected === 'survive' ? run.reason : describeDifference(context)
}
