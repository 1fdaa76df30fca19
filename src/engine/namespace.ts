import type { Changes } from './tasks/changes.ts'
import type { Clock } from './clock/clock.ts'
import { Counters, maxSubjects } from './bounded-map.ts'
import { hostTimers } from './clock/timers/host-timers.ts'

/** The clock and the counters of one namespace. */
export interface Namespace {
  readonly name: string
  readonly clock: Clock
  /** The first instant of its clock. */
  readonly beganAt: number
  /** Requests by identity, whatever their response. Draws are keyed by the count. */
  readonly attempts: Counters
  /** Accepted requests by identity. Ids are keyed by the count, so a refusal and its retry don't change them. */
  readonly acceptances: Counters
  /** Two digits in the ids of its tasks, by which a load balancer finds the process; empty without sharding. */
  readonly shardTag: string
}

/** Valid names: letters, digits, `-` and `_`, at most 64. */
export const namespaceName = /^[A-Za-z0-9_-]{1,64}$/

/** Why a name is no valid namespace. @param source where it came from, such as `the key`. */
export function invalidNamespace(source: string, name: string): string {
  const value = JSON.stringify(name.slice(0, 64))
  return `${source} names the namespace ${value}, but a namespace is 1 to 64 letters, digits, "-" or "_"`
}

/** Thrown when too many namespaces are in use. */
export class NamespacesFull extends Error {
  override name = 'NamespacesFull'
}

/** When to remove an unused namespace with its tasks. */
interface IdleSettings<N> {
  /** How long it must be unused, in the host's milliseconds. */
  readonly afterMs: number
  /** A number that changes with each use. */
  readonly activity: (namespace: N) => number
  readonly elapsedMs?: () => number
}

interface NamespacesOptions<N> {
  readonly create: (name: string) => N
  /** Whether a namespace may be removed to make room for another. */
  readonly canRemove: (namespace: N) => boolean
  readonly onRemove: (namespace: N) => void
  readonly max: number
  readonly idle?: IdleSettings<N>
}

/** The namespaces of a simulator. Each is created on first use. */
export class Namespaces<N extends Namespace> {
  readonly #options: NamespacesOptions<N>
  readonly #seen = new Map<string, { activity: number; sinceMs: number }>()
  #checkedAtMs = 0
  readonly #byName = new Map<string, N>()
  readonly #listeners = new Set<(namespace: N) => void>()

  constructor(options: NamespacesOptions<N>) {
    this.#options = options
  }

  /** @throws {NamespacesFull} when there are too many and none can be removed. */
  get(name: string): N {
    const known = this.#byName.get(name)
    if (known) return known
    this.#forgetIdle()
    if (this.#byName.size >= this.max) this.#makeRoom()
    const namespace = this.#options.create(name)
    this.#byName.set(name, namespace)
    for (const listener of this.#listeners) listener(namespace)
    return namespace
  }

  /** Calls the listener for every namespace: now for the existing ones, later for each new one. */
  onMade(listener: (namespace: N) => void): void {
    this.#listeners.add(listener)
    for (const namespace of this.#byName.values()) listener(namespace)
  }

  get max(): number {
    return this.#options.max
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  all(): N[] {
    return [...this.#byName.values()]
  }

  /** Replaces the namespace of the same name and closes its clock. */
  put(namespace: N): void {
    this.#byName.get(namespace.name)?.clock.close()
    this.#byName.set(namespace.name, namespace)
  }

  /** Removes a namespace and wakes everything that waits on its clock. Its next use starts it over. */
  remove(name: string): void {
    const namespace = this.#byName.get(name)
    if (!namespace) return
    namespace.clock.close()
    this.#byName.delete(name)
    this.#seen.delete(name)
    this.#options.onRemove(namespace)
  }

  #forgetIdle(): void {
    if (!this.#options.idle) return
    const { afterMs, activity, elapsedMs = hostTimers.elapsedMs } = this.#options.idle
    const now = elapsedMs()
    if (now - this.#checkedAtMs < afterMs / 16) return
    this.#checkedAtMs = now
    for (const namespace of this.#byName.values()) {
      const { name, clock } = namespace
      const seen = this.#seen.get(name)
      const is = activity(namespace)
      if (seen?.activity !== is) this.#seen.set(name, { activity: is, sinceMs: now })
      else if (name !== 'default' && !clock.inUse && now - seen.sinceMs >= afterMs) this.remove(name)
    }
  }

  #makeRoom(): void {
    for (const namespace of this.#byName.values()) {
      if (namespace.name === 'default' || namespace.clock.inUse || !this.#options.canRemove(namespace))
        continue
      this.remove(namespace.name)
      return
    }
    throw new NamespacesFull(
      `${this.max} namespaces are in use. Clear the tasks of one, or raise limits.namespaces.`,
    )
  }
}

/** @param changes records every count that changes. @param shardTag two digits in the ids of its tasks, or nothing. */
export function newNamespace(name: string, clock: Clock, changes: Changes, shardTag = ''): Namespace {
  const counters = (part: 'attempt' | 'acceptance'): Counters =>
    new Counters(maxSubjects, (identity) => changes.note(part, name, identity))
  return {
    name,
    clock,
    beganAt: clock.now(),
    attempts: counters('attempt'),
    acceptances: counters('acceptance'),
    shardTag,
  }
}
