import { isFixed, sampleDuration, type DurationSpec } from '../random/distribution.ts'
import type { Lifecycle, StateDefinition } from './lifecycle.ts'
import type { Plan, Step } from './plan.ts'

/**
 * What a rule or a prompt may set for a new task; the rest is drawn from its lifecycle.
 *
 * @example
 * const task: TaskShape = { queued: '1s', render: '10s', outcome: 'failure', failAt: '40%', reason: 'policy' }
 * sim.addRule({ match: { op: 'video.submit' }, on: 2, task })
 */
export interface TaskShape {
  /** How long it waits before the work begins. */
  queued?: DurationSpec
  /** How long the work takes. */
  render?: DurationSpec
  /** How it ends: `success`, `failure`, `cancelled` (by someone else), or a final state; by default, the lifecycle's weights decide. */
  outcome?: string
  /** At which share of the work a failure ends it: 0 to 1, or a percentage. */
  failAt?: number | string
  /** The reason of a failure. */
  reason?: string
  /** How long after its submission an unfinished task fails, and with which reason. */
  expire?: { after: DurationSpec; reason?: string }
  /** States and percentages with their times. Replaces all of the above. */
  timeline?: readonly TimelineStep[]
  /** The submission returns the id of another task of the same kind: of the one with this number, from 1. */
  sameIdAs?: number
}

/**
 * One line of a timeline. It sets the status or progress of a task at a time after its submission, or names the operation
 * for which the task waits. After a wait, times count from its end.
 *
 * @example
 * const timeline: TimelineStep[] = [
 *   { after: '1s', status: 'IN_PROGRESS', progress: '10%' },
 *   { after: '30s', progress: '90%' },
 *   { after: '2m', status: 'SUCCESS' },
 * ]
 * sim.addRule({ match: { op: 'video.submit' }, task: { timeline } })
 */
export type TimelineStep =
  | { after: DurationSpec; status?: string; progress?: number | string }
  | { waitFor: string; timeout?: DurationSpec; reason?: string }

/**
 * Draws the plan of a task: which states it passes and how long each lasts. Includes what follows an endless state,
 * because such a state can be ended by hand.
 *
 * @param lifecycle the state machine.
 * @param shape what a rule or a prompt sets instead of the draw.
 * @param draw a number in [0, 1) for a purpose, such as `after.queued`.
 * @param from the first state. It differs from the lifecycle's for a task that waits for its client first.
 */
export function planTask(
  lifecycle: Lifecycle,
  shape: TaskShape,
  draw: (purpose: string) => number,
  from: string = lifecycle.initial,
): Plan {
  if (shape.timeline) return planByTimeline(lifecycle, shape, shape.timeline, draw)
  const steps: Step[] = []
  const { roles, states } = lifecycle
  let state = from
  let worked = false
  let queued = shape.queued
  for (;;) {
    const definition = states[state]!
    if (definition.final) {
      steps.push({ state, lastsMs: null })
      break
    }
    const isWaiting = !worked && state !== roles.work && definition.on === undefined
    const given = isWaiting ? queued : state === roles.work ? shape.render : undefined
    // The first queued state takes all the time; further ones take none.
    if (isWaiting && queued !== undefined) queued = 0
    worked ||= state === roles.work
    const next = chooseNext(lifecycle, state, shape, draw)
    const fails = (next === roles.failure || next === roles.cancelled) && state === roles.work
    steps.push(drawStep(state, definition, given, fails ? parseFailAt(shape) : undefined, draw))
    state = next
  }
  const { reason = hidesCancellation(lifecycle, shape) ? 'cancelled' : undefined } = shape
  // A copy, because an array that was pushed to has spare capacity.
  const plan = { steps: steps.slice(), ...(reason !== undefined && { reason }) }
  return shape.expire ? withExpiry(plan, shape.expire, lifecycle, draw) : plan
}

/** A share of the work: 0 to 1, or a percentage. */
function parseFailAt({ failAt }: TaskShape): number | undefined {
  return typeof failAt === 'string' ? Number.parseFloat(failAt) / 100 : failAt
}

/** Ends a plan in failure after a time, unless it ends before. */
function withExpiry(
  { steps, ...rest }: Plan,
  { after, reason = '' }: NonNullable<TaskShape['expire']>,
  { roles }: Lifecycle,
  draw: (purpose: string) => number,
): Plan {
  let leftMs = sampleDuration(after, draw('expire')) ?? Infinity
  const before: Step[] = []
  for (const step of steps) {
    const isOver = step.lastsMs === null || step.lastsMs > leftMs
    if (!isOver || leftMs === Infinity || step === steps.at(-1)) {
      before.push(step)
      leftMs -= step.lastsMs ?? 0
      continue
    }
    const { state, lastsMs } = step
    const wholeMs = step.wholeMs ?? lastsMs ?? leftMs
    return {
      ...rest,
      steps: [...before, { state, lastsMs: leftMs, wholeMs, expires: roles.failure, expiryReason: reason }],
    }
  }
  return { ...rest, steps: before }
}

function drawStep(
  state: string,
  definition: StateDefinition,
  given: DurationSpec | undefined,
  failAt: number | undefined,
  draw: (purpose: string) => number,
): Step {
  const spec = given ?? (definition.on === undefined ? definition.after! : (definition.timeout ?? 'forever'))
  const drawnMs = sampleDuration(spec, isFixed(spec) ? 0 : draw(`after.${state}`))
  if (definition.on !== undefined) {
    const { on, expires, expiryReason } = definition
    return {
      state,
      lastsMs: drawnMs,
      awaits: on,
      ...(expires === undefined ? {} : { expires }),
      ...(expiryReason === undefined ? {} : { expiryReason }),
    }
  }
  // Endless work has a length too, so its progress climbs and then stops.
  if (drawnMs === null) {
    return { state, lastsMs: null, wholeMs: sampleDuration(definition.after!, draw(`after.${state}`)) ?? 0 }
  }
  if (failAt === undefined) return { state, lastsMs: drawnMs }
  return { state, lastsMs: Math.round(drawnMs * failAt), wholeMs: drawnMs }
}

/** Whether the API has no word for cancelled, so that such a task fails. */
function hidesCancellation({ roles }: Lifecycle, { outcome }: TaskShape): boolean {
  return outcome === 'cancelled' && roles.cancelled === undefined
}

/** The final state of an outcome. @throws {TimelineError} for another word. */
function endOf({ roles, states }: Lifecycle, outcome: string): string {
  if (outcome === 'success' || outcome === 'failure') return roles[outcome]
  if (outcome === 'cancelled') return roles.cancelled ?? roles.failure
  if (states[outcome]?.final) return outcome
  const ends = Object.keys(states).filter((state) => states[state]!.final)
  throw new TimelineError(
    `outcome: no task ends as "${outcome}". Use success, failure, cancelled, ${ends.join(', ')}.`,
  )
}

function chooseNext(
  lifecycle: Lifecycle,
  state: string,
  shape: TaskShape,
  draw: (purpose: string) => number,
): string {
  const to = lifecycle.states[state]!.to!
  if (typeof to === 'string') return to
  const outcome = shape.outcome && endOf(lifecycle, shape.outcome)
  // Someone else cancels a task at work.
  const isEarly = outcome !== lifecycle.roles.failure && state !== lifecycle.roles.work && Object.hasOwn(to, lifecycle.roles.work) // prettier-ignore
  if (outcome !== undefined && Object.hasOwn(to, outcome) && !isEarly) return outcome
  const weights = Object.entries(to)
  const possible = weights.filter(([, weight]) => weight > 0)
  if (possible.length === 1) return possible[0]![0]
  let left = draw(`to.${state}`) * weights.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [target, weight] of weights) {
    left -= weight
    if (left < 0) return target
  }
  return weights[0]![0]
}

/** Thrown for a contradictory timeline. The message names the line and what to write instead. */
export class TimelineError extends Error {
  override name = 'TimelineError'
}

/**
 * Makes a plan that follows a timeline line by line. A line without a status keeps the previous one.
 *
 * @throws {TimelineError} for an unknown state and for decreasing times.
 */
function planByTimeline(
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
      // The times of later lines count from the end of the wait.
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
    const progress = parseProgress(line.progress)
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

function parseProgress(progress: number | string | undefined): { progress?: number } {
  if (progress === undefined) return {}
  return { progress: typeof progress === 'number' ? progress : Number.parseFloat(progress) }
}
