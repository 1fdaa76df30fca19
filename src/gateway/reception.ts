import { withFakeTimersPaused } from '../engine/clock/timers/fake-timers.ts'
import { WorkBudget } from '../engine/work-budget.ts'
import { NamespacesFull } from '../engine/namespace.ts'
import { namespaceOf, readAddress, type Address } from './bodies/address.ts'
import { Asking, type Asked } from './asked.ts'
import { truncate } from './beginning.ts'
import { readBody } from './bodies/body.ts'
import { abortError, asGatewayError, type GatewayError } from './replies/errors.ts'
import { headerOf, type Incoming } from './incoming.ts'
import type { SentRequest } from './journal.ts'
import { credentialOf, hasExpired, KeyRing, type KeyRecord } from './accounts/keys.ts'
import type { GatewayNamespace, GatewayParts } from './parts.ts'
import type { Route } from './route.ts'
import { Remembered } from '../engine/remembered.ts'
import { Router, type Found } from './router.ts'
import { isPromise } from './maybe-promise.ts'

/** A request as it stands before it is admitted. Whatever failed until then is part of it, as plain data. */
export interface Arrival {
  readonly incoming: Incoming
  readonly address: Address
  readonly found: Found<Route> | undefined
  readonly credential: string
  /** What is known of its key; undefined when it opens nothing. */
  readonly key: KeyRecord | undefined
  readonly namespace: GatewayNamespace
  /** A refusal that is certain already; a body needn't be read. */
  refused: GatewayError | undefined
  /** What its body asks for; nothing until that was read. */
  asked: Asked | undefined
  identity: string
  /** What all that is done for it may cost together. */
  readonly work: WorkBudget
}

/** Where a request goes: the part of it that is the same each time. */
type Place = Pick<Arrival, 'address' | 'found' | 'identity'>

/**
 * Receives requests: the cheap part first, then, where there is a body, everything that must be awaited.
 * Changes nothing but the list of namespaces.
 */
export class Reception {
  readonly router: Router<Route>
  readonly #parts: GatewayParts
  readonly #keys: KeyRing
  readonly #asking: Asking
  readonly #places: ReadonlyMap<string, Remembered<Place>>

  constructor(parts: GatewayParts) {
    this.#parts = parts
    const served = parts.routes.filter((route) => route.broughtBy === undefined)
    const withheld = parts.routes.filter((route) => route.broughtBy !== undefined)
    this.router = new Router(served, new Router(withheld))
    this.#asking = new Asking(parts)
    this.#keys = new KeyRing(parts.keys, { strict: parts.strictKeys })
    const methods = new Set(served.flatMap((route) => route.methods))
    this.#places = new Map(
      [...methods].map((method) => [
        method,
        new Remembered((target) => this.#find(method, target), { longest: 500 }),
      ]),
    )
  }

  /** The cheap part: where it goes, who asks, whose namespace. */
  arrive(incoming: Incoming): Arrival {
    const { address, found, identity } = this.#placeOf(incoming)
    const sent = found?.route.credential?.(incoming, address.query) || credentialOf(incoming)
    const credential = found?.route.isPublic ? '' : sent
    const key = this.#keys.find(credential)
    const guestOf = this.#guestOf(found, credential, address.query)
    const named = namespaceOf(address, incoming, credential, key?.namespace)
    const name = named === undefined ? (guestOf ?? incoming.belongsTo?.() ?? 'default') : named
    const { namespaces } = this.#parts
    let refused = name === null ? badNamespace() : undefined
    if (incoming.problem !== undefined) refused = abortError(400, `Invalid request: ${incoming.problem}`)
    if (found && !key && guestOf === undefined) refused ??= invalidToken(this.#keys.adviceFor(credential))
    let namespace: GatewayNamespace
    try {
      // A name that a stranger made up, or somebody whose time is over, gets no namespace of its own.
      const mayOpen = key !== undefined && refused === undefined && !this.#isOver(key)
      namespace = namespaces.get(mayOpen || namespaces.has(name ?? '') ? (name ?? 'default') : 'default')
    } catch (error) {
      if (!(error instanceof NamespacesFull)) throw error
      refused ??= abortError(503, error.message, 'system_memory_overloaded')
      namespace = namespaces.get('default')
    }
    if (found && key?.expires !== undefined && hasExpired(key, namespace.clock.now()))
      refused ??= invalidToken(this.#keys.adviceFor(credential))
    return {
      incoming,
      address,
      found,
      credential,
      key,
      namespace,
      refused,
      asked: undefined,
      identity,
      work: new WorkBudget(),
    }
  }

  #placeOf({ method, target }: Incoming): Place {
    return this.#places.get(method)?.of(target) ?? this.#find(method, target)
  }

  #find(method: string, target: string): Place {
    const address = readAddress(target)
    const found = this.router.find(method, address.path)
    return { address, found, identity: `${method} ${truncate(address.path, 300)}` }
  }

  /** Whether a key's time is over where everybody begins. */
  #isOver(key: KeyRecord): boolean {
    return key.expires !== undefined && hasExpired(key, this.#parts.namespaces.get('default').clock.now())
  }

  /** The namespace in which a request without any key may look, where its route lets it: that of its task. */
  #guestOf(found: Found<Route> | undefined, credential: string, query: string): string | undefined {
    if (credential !== '' || !found) return undefined
    const { task, isPublic, opensWithoutKey } = found.route
    if (!isPublic && !opensWithoutKey?.(query)) return undefined
    const id = found.params[task?.parameter ?? '']
    return (id === undefined ? undefined : this.#parts.tasks.find(id)?.record.namespace) ?? 'default'
  }

  /** Reads the body and what goes with it. Only what isn't there yet is waited for. */
  async prepare(arrival: Arrival): Promise<void> {
    const { incoming, found, address } = arrival
    const { bodyLimitBytes, bodyRoom, onBug } = this.#parts
    const held = bodyRoom.forOne()
    try {
      const bytes = await readBody(incoming, bodyLimitBytes, held)
      const asked = this.#asking.read(incoming, found!, address.path, bytes, arrival.work)
      arrival.asked = isPromise(asked) ? await withFakeTimersPaused(arrival.namespace.clock, asked) : asked
      arrival.identity = arrival.asked.identity
    } catch (error) {
      arrival.refused = asGatewayError(error, onBug)
    } finally {
      held.giveBack()
    }
  }
}

/** @assumed §7 the answer to a bad key is not shown; wire §2.2. */
function invalidToken(advice: string): GatewayError {
  return abortError(401, 'Invalid token').withAdvice(advice)
}

function badNamespace(): GatewayError {
  return abortError(400, 'Invalid request: a namespace is 1 to 64 letters, digits, "-" or "_"')
}

/** What a request carries, for expectations about what the client sends. */
export function sentRequest({ incoming, address, asked }: Arrival): SentRequest {
  return {
    body: asked?.body ?? (incoming.body === undefined ? {} : undefined),
    header: (name) => headerOf(incoming, name),
    query: address.query,
  }
}
