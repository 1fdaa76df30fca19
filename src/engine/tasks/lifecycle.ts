import { parseSpec, type DurationSpec } from '../random/distribution.ts'
import { DurationError } from '../clock/duration.ts'
import { recognizeCopies } from '../shared-error.ts'

/**
 * One state of a task, as data. It ends after a time or on a request. A final state never ends.
 *
 * @example
 * const queued: StateDefinition = { after: '1s', to: 'IN_PROGRESS' }
 * const working: StateDefinition = {
 *   after: { uniform: ['5s', '20s'] },
 *   progress: [10, 40, 90],
 *   to: { SUCCESS: 4, FAILURE: 1 },
 * }
 */
export interface StateDefinition {
  /** How long the state lasts. */
  after?: DurationSpec
  /** The operation that ends the state, for states that wait for the client. */
  on?: string
  /** How long a state waits for the client before it ends in `expires`. */
  timeout?: DurationSpec
  /** The state that follows the timeout. */
  expires?: string
  expiryReason?: string
  /** The next state: one name, or names with weights. */
  to?: string | Readonly<Record<string, number>>
  /**
   * Percent done while the state lasts: a number, a range to climb, or a list of steps of equal length. 100 when final,
   * else 0.
   */
  progress?: number | { from: number; to: number } | readonly number[]
  /** Whether a task ends in it. */
  final?: true
}

/**
 * The states of a task, as data.
 *
 * @example
 * const lifecycle: LifecycleDefinition = {
 *   initial: 'queued',
 *   states: {
 *     queued: { after: '2s', to: 'IN_PROGRESS' },
 *     IN_PROGRESS: { after: '30s', progress: { from: 0, to: 99 }, to: { SUCCESS: 9, FAILURE: 1 } },
 *     SUCCESS: { final: true },
 *     FAILURE: { final: true },
 *   },
 * }
 * await using sim = createSimulator({ video: { lifecycle } })
 */
export interface LifecycleDefinition {
  /** The state in which a task begins. */
  initial: string
  /** The states by their names, which clients see. */
  states: Readonly<Record<string, StateDefinition>>
  /** Lets `states` leave the documented order. */
  unsafe?: boolean
}

/** The states that rules, prompts and the control API name by their roles. */
interface LifecycleRoles {
  queue: string
  work: string
  success: string
  failure: string
  /** Missing if a cancelled task counts as failed. */
  cancelled?: string
}

/** A valid state machine, with the roles of its states. */
export interface Lifecycle extends LifecycleDefinition {
  readonly name: string
  readonly roles: LifecycleRoles
}

/**
 * An invalid state machine. The message names the state.
 *
 * @example
 * const states = { queued: { after: '1s', to: 'rendering' } }
 * createSimulator({ video: { lifecycle: { initial: 'queued', states } } }) // throws LifecycleError: …Known states: queued.
 */
export class LifecycleError extends Error {
  static {
    recognizeCopies(this, 'LifecycleError')
  }

  override name = 'LifecycleError'
}

/**
 * Checks a state machine.
 *
 * @param name such as `video`; task records contain it.
 * @param definition the states.
 * @param roles which states are queue, work, success and failure.
 * @throws {LifecycleError} for a transition to an unknown state, a state that neither ends nor is final, a final state with
 * a successor, a circle, a role without a state, an invalid duration, or decreasing progress.
 */
export function defineLifecycle(
  name: string,
  definition: LifecycleDefinition,
  roles: LifecycleRoles,
): Lifecycle {
  const known = Object.keys(definition.states)
  const fail = (message: string): never => {
    throw new LifecycleError(`Failed to define the ${name} lifecycle: ${message}`)
  }
  const requireState = (state: string, whose: string): void => {
    if (!known.includes(state)) fail(`${whose} is "${state}". Known states: ${known.join(', ')}.`)
  }
  requireState(definition.initial, 'initial')
  for (const [role, state] of Object.entries(roles)) requireState(state, `the state for ${role}`)
  for (const [state, { after, on, final, expires, timeout }] of Object.entries(definition.states)) {
    const next = successors(definition, state)
    for (const target of next) requireState(target, `a successor of ${state}`)
    if (final && next.length > 0) fail(`${state} is final, but leads to ${next.join(', ')}. Remove one.`)
    if (!final && next.length === 0) fail(`${state} leads nowhere. Give it "to", or make it final.`)
    if (!final && after === undefined && on === undefined)
      fail(`${state} never ends. Give it "after" or "on".`)
    if (timeout !== undefined && expires === undefined) fail(`${state} has a timeout but no "expires" state.`)
  }
  const states = Object.entries(definition.states).map(([state, { after, timeout, ...rest }]) => {
    const read = (spec: DurationSpec): DurationSpec =>
      readSpec(spec, (message) => fail(`${state}: ${message}.`))
    return [
      state,
      {
        ...rest,
        ...(after !== undefined && { after: read(after) }),
        ...(timeout !== undefined && { timeout: read(timeout) }),
      },
    ] as const
  })
  const cyclic = findCycle(definition)
  if (cyclic) fail(`${cyclic} can be reached from itself. A task must be able to end.`)
  for (const state of known) {
    const [from, to] = progressRange(definition, state)
    const { progress } = definition.states[state]!
    const percentages = isStepped(progress) ? progress : [from, to]
    const climbs = percentages.every(
      (percent, index) => percent >= (percentages[index - 1] ?? 0) && percent <= 100,
    )
    if (percentages.length === 0 || !climbs) fail(`progress of ${state} must climb within 0 and 100.`)
    for (const next of successors(definition, state)) {
      if (progressRange(definition, next)[0] < to) fail(`progress would fall from ${state} to ${next}.`)
    }
  }
  return { ...definition, states: Object.fromEntries(states), name, roles }
}

/** The meaning of a state, the same in every API. A task that was cancelled counts as failed. */
export type Phase = 'waiting' | 'working' | 'done' | 'failed'

/** The phase of a state. */
export function phaseOf({ roles, states }: Lifecycle, state: string): Phase {
  if (state === roles.success) return 'done'
  if (states[state]?.final) return 'failed'
  return state === roles.work ? 'working' : 'waiting'
}

/** The first and last percentage of a state. */
export function progressRange(definition: LifecycleDefinition, state: string): [number, number] {
  const { progress, final } = definition.states[state]!
  if (progress === undefined) return final ? [100, 100] : [0, 0]
  if (typeof progress === 'number') return [progress, progress]
  return isStepped(progress) ? [progress[0]!, progress.at(-1)!] : [progress.from, progress.to]
}

/** Whether progress climbs in steps. */
export function isStepped(progress: StateDefinition['progress']): progress is readonly number[] {
  return Array.isArray(progress)
}

function readSpec(spec: DurationSpec, fail: (message: string) => never): DurationSpec {
  try {
    return parseSpec(spec)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    return fail(error.message)
  }
}

/**
 * Replaces a lifecycle by a user's, if there is one. It can change times, weights and progress but not the documented order of states.
 *
 * @throws {LifecycleError} for a transition that the documented lifecycle doesn't have, unless `unsafe` is set.
 */
export function replaceLifecycle(
  documented: Lifecycle,
  definition: LifecycleDefinition | undefined,
): Lifecycle {
  if (!definition) return documented
  const lifecycle = defineLifecycle(documented.name, definition, documented.roles)
  for (const [state, { on }] of Object.entries(documented.states)) {
    if (on === undefined || definition.states[state]?.on === on) continue
    throw new LifecycleError(
      `Failed to define the ${documented.name} lifecycle: ${state} must wait for the client. Give it on: ${on}.`,
    )
  }
  if (definition.unsafe) return lifecycle
  if (definition.initial !== documented.initial) {
    throw new LifecycleError(
      `Failed to define the ${documented.name} lifecycle: initial is "${definition.initial}", ` +
        `documented is "${documented.initial}". Set unsafe: true to start elsewhere.`,
    )
  }
  for (const state of Object.keys(definition.states)) {
    const allowed = documented.states[state] ? successors(documented, state) : []
    for (const target of successors(definition, state)) {
      if (allowed.includes(target)) continue
      throw new LifecycleError(
        `Failed to define the ${documented.name} lifecycle: ${state} → ${target} breaks the documented ` +
          `order. Set unsafe: true if a client must survive it.`,
      )
    }
  }
  return lifecycle
}

/** The states that can follow a state, its expiry included. */
function successors(definition: LifecycleDefinition, state: string): string[] {
  const { to, expires } = definition.states[state] ?? {}
  const targets = to === undefined ? [] : typeof to === 'string' ? [to] : Object.keys(to)
  return expires === undefined || targets.includes(expires) ? targets : [...targets, expires]
}

/** The shortest path from one state to another, without both ends; null if there is none. */
export function pathBetween(definition: LifecycleDefinition, from: string, to: string): string[] | null {
  const ways: string[][] = [[from]]
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const next of successors(definition, way.at(-1)!)) {
      if (next === to) return way.slice(1)
      ways.push([...way, next])
    }
  }
  return null
}

function findCycle(definition: LifecycleDefinition): string | undefined {
  return Object.keys(definition.states).find((state) => {
    const seen = new Set<string>()
    const open = successors(definition, state)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === state) return true
      if (seen.has(next)) continue
      seen.add(next)
      open.push(...successors(definition, next))
    }
    return false
  })
}
