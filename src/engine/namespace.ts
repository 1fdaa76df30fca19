import type { Changes } from './tasks/changes.ts'
import type { Clock } from './clock/clock.ts'
import { Counters, maxSubjects } from './counters.ts'
import { hostTimers } from './clock/timers/host-timers.ts'

/** What belongs to one namespace and to nobody else: its time and its counts. */
export interface Namespace {
  readonly name: string
  readonly clock: Clock
  /** The instant at which its time began. */
  readonly beganAt: number
  /** Requests by identity, answered in any way. They feed the dice. */
  readonly attempts: Counters
  /** Accepted requests by identity. They feed the ids, so that a refusal and its retry don't shift them. */
  readonly acceptances: Counters
  /** What the ids of its tasks carry, so that a balancer finds the process it lives in: two digits, or nothing. */
  readonly shardTag: string
}

/** What a namespace may be called: letters, digits, `-` and `_`, at most 64. */
export const namespaceName = /^[A-Za-z0-9_-]{1,64}$/

/** Too many namespaces are in use. */
export class NamespacesFull extends Error {
  override name = 'NamespacesFull'
}

/** When a namespace has been left alone for so long that it is forgotten, tasks and all. */
export interface IdleSettings<N> {
  /** In the host's milliseconds. */
  readonly afterMs: number
  /** A number that is another after each use. */
  readonly activity: (namespace: N) => number
  readonly elapsedMs?: () => number
}

/** The namespaces of a simulator. Each is made on first use. */
export class Namespaces<N extends Namespace> {
  readonly #create: (name: string) => N
  readonly #canGo: (namespace: N) => boolean
  readonly #onGone: (namespace: N) => void
  readonly #most: number
  readonly #idle: IdleSettings<N> | undefined
  readonly #seen = new Map<string, { activity: number; sinceMs: number }>()
  #lookedAtMs = 0
  readonly #byName = new Map<string, N>()

  /**
   * @param options `create` makes a namespace; `canGo` says whether one may make room for another, `onGone` hears
   * of it; `most` is how many there may be; `idle` says when one has been left alone for too long.
   */
  constructor(options: {
    create: (name: string) => N
    canGo: (namespace: N) => boolean
    onGone: (namespace: N) => void
    most: number
    idle?: IdleSettings<N>
  }) {
    this.#create = options.create
    this.#canGo = options.canGo
    this.#onGone = options.onGone
    this.#most = options.most
    this.#idle = options.idle
  }

  /** @throws {NamespacesFull} when there are too many and none can go. */
  get(name: string): N {
    const known = this.#byName.get(name)
    if (known) return known
    // There are only more of them when one comes, so that is when those that were left alone go.
    this.#forgetIdle()
    if (this.#byName.size >= this.#most) this.#makeRoom()
    const namespace = this.#create(name)
    this.#byName.set(name, namespace)
    return namespace
  }

  /** How many there may be. */
  get most(): number {
    return this.#most
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  all(): N[] {
    return [...this.#byName.values()]
  }

  /** Puts a namespace in the place of the one of its name, whose clock ends. */
  put(namespace: N): void {
    this.#byName.get(namespace.name)?.clock.close()
    this.#byName.set(namespace.name, namespace)
  }

  /** Lets one go with all it holds; whoever waits on its clock is woken. Asked for again, it begins anew. */
  remove(name: string): void {
    const namespace = this.#byName.get(name)
    if (!namespace) return
    namespace.clock.close()
    this.#byName.delete(name)
    this.#seen.delete(name)
    this.#onGone(namespace)
  }

  #forgetIdle(): void {
    if (!this.#idle) return
    const { afterMs, activity, elapsedMs = hostTimers.elapsedMs } = this.#idle
    const now = elapsedMs()
    if (now - this.#lookedAtMs < afterMs / 16) return
    this.#lookedAtMs = now
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
      if (namespace.name === 'default' || namespace.clock.inUse || !this.#canGo(namespace)) continue
      this.remove(namespace.name)
      return
    }
    throw new NamespacesFull(
      `${this.#most} namespaces are in use. Clear the tasks of one, or raise limits.namespaces.`,
    )
  }
}

/**
 * What every namespace begins with.
 * @param changes told of every count that changes.
 * @param shardTag what the ids of its tasks carry.
 */
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
