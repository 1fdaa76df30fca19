import { isFixed, sampleDuration, type DurationSpec } from '../random/distribution.ts'
import type { Lifecycle, StateDefinition } from './lifecycle.ts'
import type { Plan, Step } from './plan.ts'
import { scriptedPlan } from './scripted-plan.ts'
import type { TaskShape } from './task-shape.ts'

/**
 * Draws what will happen to a task: which states it passes and how long each lasts. What lies behind a state
 * that lasts for ever is drawn too, for the day when somebody ends that state by hand.
 *
 * @param lifecycle the state machine.
 * @param shape what a rule or a prompt asks for instead of chance.
 * @param draw a number in [0, 1) for a purpose, such as `after.queued`.
 * @param from the first state, where it isn't the usual one: of a task that begins with a question to the client.
 */
export function planTask(
  lifecycle: Lifecycle,
  shape: TaskShape,
  draw: (purpose: string) => number,
  from: string = lifecycle.initial,
): Plan {
  if (shape.timeline) return scriptedPlan(lifecycle, shape, shape.timeline, draw)
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
    const asked = isWaiting ? queued : state === roles.work ? shape.render : undefined
    // The first state that waits takes all the time; others on the way to the work then take none.
    if (isWaiting && queued !== undefined) queued = 0
    worked ||= state === roles.work
    const next = chooseNext(lifecycle, state, shape, draw)
    const fails = next === roles.failure && state === roles.work
    steps.push(drawStep(state, definition, asked, fails ? failAtOf(shape) : undefined, draw))
    state = next
  }
  const whole = shape.reason === undefined ? { steps } : { steps, reason: shape.reason }
  return shape.expire ? expiring(whole, shape.expire, lifecycle, draw) : whole
}

/** A share of the work: 0 to 1, or a percentage. */
function failAtOf({ failAt }: TaskShape): number | undefined {
  return typeof failAt === 'string' ? Number.parseFloat(failAt) / 100 : failAt
}

/** Ends a plan in failure after a time, wherever it is then, unless it has ended before. */
function expiring(
  { steps, ...rest }: Plan,
  { after, reason = '' }: NonNullable<TaskShape['expire']>,
  { roles }: Lifecycle,
  draw: (purpose: string) => number,
): Plan {
  let leftMs = sampleDuration(after, draw('expire')) ?? Infinity
  const kept: Step[] = []
  for (const step of steps) {
    const isOver = step.lastsMs === null || step.lastsMs > leftMs
    if (!isOver || leftMs === Infinity || step === steps.at(-1)) {
      kept.push(step)
      leftMs -= step.lastsMs ?? 0
      continue
    }
    const { state, lastsMs } = step
    const wholeMs = step.wholeMs ?? lastsMs ?? leftMs
    return {
      ...rest,
      steps: [...kept, { state, lastsMs: leftMs, wholeMs, expires: roles.failure, expiryReason: reason }],
    }
  }
  return { ...rest, steps: kept }
}

function drawStep(
  state: string,
  definition: StateDefinition,
  asked: DurationSpec | undefined,
  failAt: number | undefined,
  draw: (purpose: string) => number,
): Step {
  const usual = definition.on === undefined ? definition.after! : (definition.timeout ?? 'forever')
  const spec = asked ?? usual
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
  // Work that never ends still climbs as if it did, so that a client sees progress before it sees none.
  if (drawnMs === null) {
    return { state, lastsMs: null, wholeMs: sampleDuration(definition.after!, draw(`after.${state}`)) ?? 0 }
  }
  if (failAt === undefined) return { state, lastsMs: drawnMs }
  return { state, lastsMs: Math.round(drawnMs * failAt), wholeMs: drawnMs }
}

function chooseNext(
  lifecycle: Lifecycle,
  state: string,
  shape: TaskShape,
  draw: (purpose: string) => number,
): string {
  const to = lifecycle.states[state]!.to!
  if (typeof to === 'string') return to
  const asked = shape.outcome && lifecycle.roles[shape.outcome]
  if (asked !== undefined && Object.hasOwn(to, asked)) return asked
  let total = 0
  let choices = 0
  let choice = ''
  for (const target in to) {
    total += to[target]!
    if (to[target]! <= 0) continue
    choices++
    choice = target
  }
  // Where all weight is on one, there is nothing to be drawn.
  if (choices === 1) return choice
  let left = draw(`to.${state}`) * total
  for (const target in to) {
    left -= to[target]!
    if (left < 0) return target
  }
  return Object.keys(to)[0]!
}
