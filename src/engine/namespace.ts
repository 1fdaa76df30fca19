import type { Clock } from './clock.ts'
import { Counters } from './counters.ts'

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

/** The namespaces of a simulator. Each is made on first use. */
export class Namespaces<N extends Namespace> {
  readonly #create: (name: string) => N
  readonly #canGo: (namespace: N) => boolean
  readonly #onGone: (namespace: N) => void
  readonly #most: number
  readonly #byName = new Map<string, N>()

  /**
   * @param options `create` makes a namespace; `canGo` says whether one may make room for another, `onGone` hears
   * of it; `most` is how many there may be.
   */
  constructor(options: {
    create: (name: string) => N
    canGo: (namespace: N) => boolean
    onGone: (namespace: N) => void
    most: number
  }) {
    this.#create = options.create
    this.#canGo = options.canGo
    this.#onGone = options.onGone
    this.#most = options.most
  }

  /** @throws {NamespacesFull} when there are too many and none can go. */
  get(name: string): N {
    const known = this.#byName.get(name)
    if (known) return known
    if (this.#byName.size >= this.#most) this.#makeRoom()
    const namespace = this.#create(name)
    this.#byName.set(name, namespace)
    return namespace
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  all(): N[] {
    return [...this.#byName.values()]
  }

  /** Lets one go with all it holds; whoever waits on its clock is woken. Asked for again, it begins anew. */
  remove(name: string): void {
    const namespace = this.#byName.get(name)
    if (namespace) this.#remove(namespace)
  }

  #makeRoom(): void {
    for (const namespace of this.#byName.values()) {
      if (namespace.name === 'default' || namespace.clock.inUse || !this.#canGo(namespace)) continue
      return this.#remove(namespace)
    }
    throw new NamespacesFull(
      `${this.#most} namespaces are in use. Clear the tasks of one, or raise limits.namespaces.`,
    )
  }

  #remove(namespace: N): void {
    namespace.clock.close()
    this.#byName.delete(namespace.name)
    this.#onGone(namespace)
  }
}

/** What every namespace begins with. */
export function newNamespace(name: string, clock: Clock, shardTag = ''): Namespace {
  return {
    name,
    clock,
    beganAt: clock.now(),
    attempts: new Counters(),
    acceptances: new Counters(),
    shardTag,
  }
}
