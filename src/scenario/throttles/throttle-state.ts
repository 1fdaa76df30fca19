import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { Changes } from '../../engine/tasks/changes.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { optionDefaults } from '../vocabulary/defaults.ts'
import { readMatch, type ReadMatch } from '../rules/match.ts'
import type { Respond, Throttle } from '../vocabulary/types.ts'
import type { Matchable } from '../rules/rule.ts'
import { type Variables, When } from '../rules/variables.ts'
import { RuleError } from '../rules/check-rule.ts'
import { firstMistake } from '../schema/mistakes.ts'
import { throttleSchema } from '../vocabulary/throttle-schema.ts'
import { parseWindow, readRefill, type Window } from '../schema/window.ts'

/**
 * The level of a bucket and the instant of that level. For a rate: the remaining requests, and the instant at which its
 * window opened.
 */
interface Level {
  tokens: number
  at: number
}

/** The maximum number of keys with levels in a namespace. The oldest are dropped. */
const maxBuckets = 10_000

/** The decision of all rates on a request. */
export interface RateDecision {
  /** The `X-RateLimit-*` headers of the response, if a rate enables them. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** The exceeded rate; undefined if no rate is exceeded. */
  readonly refusal: RateRefusal | undefined
}

interface RateRefusal {
  readonly throttle: string
  readonly message: string
  /** The time until the window ends; undefined for a response without `Retry-After` and message. */
  readonly waitMs: number | undefined
}

export const letsThrough = 'it lets the request through'

/** A throttle, with its counts and levels. */
export class ThrottleState {
  readonly id: string
  readonly throttle: Throttle
  readonly match: ReadMatch
  readonly #when: When
  /** How many requests it matched and refused, in total and by namespace. */
  readonly #everywhere = { eligible: 0, fired: 0 }
  readonly #counts = new Map<string, { eligible: number; fired: number }>()
  readonly #levels = new Map<string, BoundedMap<Level>>()
  readonly #refill: { tokens: number; everyMs: number } | undefined
  readonly #outage: Window | undefined
  readonly #windowMs: number
  readonly #changes: Changes

  constructor(id: string, throttle: Throttle, operations: OperationTable, changes: Changes) {
    this.#changes = changes
    this.id = id
    this.throttle = throttle
    const mistake = firstMistake(throttleSchema, throttle, operations)
    if (mistake !== undefined) throw new RuleError(`Failed to add throttle "${id}": ${mistake}`)
    this.match = readMatch(throttle.match, operations)
    this.#when = new When(throttle.when)
    this.#refill = throttle.bucket && readRefill(throttle.bucket.refill)
    this.#windowMs = parseDuration(throttle.rate?.per ?? optionDefaults.throttle.per)
    this.#outage = throttle.outage === undefined ? undefined : parseWindow(throttle.outage)
  }

  /** Marks its counts and levels dirty before it is replaced. */
  noteAll(): void {
    this.#changes.note('limit', this.id)
    for (const [namespace, name] of this.levels()) this.#changes.note('level', namespace, this.id, name)
  }

  forget(namespace: string): void {
    this.#levels.delete(namespace)
    this.#counts.delete(namespace)
  }

  countIn(namespace: string | undefined): { eligible: number; fired: number } {
    if (namespace === undefined) return this.#everywhere
    return this.#counts.get(namespace) ?? { eligible: 0, fired: 0 }
  }

  /** Continues from stored counts. */
  restoreCount(eligible: number, fired: number): void {
    Object.assign(this.#everywhere, { eligible, fired })
  }

  level(namespace: string, name: string): Level | undefined {
    return this.#levels.get(namespace)?.get(name)
  }

  /** Continues from a stored level. */
  restoreLevel(namespace: string, name: string, { tokens, at }: Level): Level {
    return Object.assign(this.#levelOf(namespace, name, at), { tokens, at })
  }

  /** The namespaces and hashed keys of all levels. */
  *levels(): Generator<[namespace: string, name: string]> {
    for (const [namespace, levels] of this.#levels) for (const name of levels.keys()) yield [namespace, name]
  }

  /** Why the throttle doesn't concern a request; undefined if it does. */
  mismatch(request: Matchable, variables: Variables): string | undefined {
    return this.match.mismatch(request) ?? this.#when.mismatch(request, variables)
  }

  take(
    request: Matchable,
    underWay: (per: 'key' | 'namespace') => number,
    variables: Variables,
  ): { respond: Respond | undefined; why: string } {
    const mismatch = this.mismatch(request, variables)
    if (mismatch !== undefined) return { respond: undefined, why: mismatch }
    const decision = this.#decide(request, underWay)
    this.#count(request, decision.respond !== undefined)
    return decision
  }

  /**
   * Counts a request, if this is a rate that matches it.
   * @assumed §8 rate headers are not documented; wire §1.3.
   */
  takeRate(request: Matchable, variables: Variables): RateDecision | undefined {
    const { rate } = this.throttle
    if (!rate || this.mismatch(request, variables) !== undefined) return undefined
    const { requests, retryAfter = true } = rate
    const name = this.#nameOf(request)
    let level = this.#levelOf(request.namespaceName, name, request.now)
    if (request.now >= level.at + this.#windowMs) {
      level = { tokens: requests, at: request.now }
      this.restoreLevel(request.namespaceName, name, level)
    }
    this.#changes.note('level', request.namespaceName, this.id, name)
    const leftMs = level.at + this.#windowMs - request.now
    const isFull = level.tokens < 1
    if (!isFull)
      level = this.restoreLevel(request.namespaceName, name, { ...level, tokens: level.tokens - 1 })
    this.#count(request, isFull)
    const headers = rate.headers
      ? {
          'X-RateLimit-Limit-Requests': String(requests),
          'X-RateLimit-Remaining-Requests': String(level.tokens),
          'X-RateLimit-Reset-Requests': formatDuration(leftMs),
        }
      : undefined
    if (!isFull) return { headers, refusal: undefined }
    const message = `You have reached the request limit: at most ${requests} in ${formatDuration(this.#windowMs)}`
    return { headers, refusal: { throttle: this.id, message, waitMs: retryAfter ? leftMs : undefined } }
  }

  #count({ namespaceName }: Matchable, hasFired: boolean): void {
    this.#changes.note('limit', this.id)
    const here = this.countIn(namespaceName)
    this.#counts.set(namespaceName, here)
    for (const count of [this.#everywhere, here]) {
      count.eligible++
      if (hasFired) count.fired++
    }
  }

  /** The name of the level in which a request counts. */
  #nameOf({ accountName }: Matchable): string {
    return this.throttle.per === 'namespace' ? '' : hashApiKey(accountName)
  }

  #decide(
    request: Matchable,
    underWay: (per: 'key' | 'namespace') => number,
  ): { respond: Respond | undefined; why: string } {
    const { concurrent, per = 'key' } = this.throttle
    if (
      this.#outage &&
      request.elapsedMs >= this.#outage.fromMs &&
      request.elapsedMs < this.#outage.untilMs
    ) {
      return this.#refuse(503, this.#outage.untilMs - request.elapsedMs, 'an outage')
    }
    if (concurrent !== undefined && underWay(per) >= concurrent) {
      return this.#refuse(429, 1_000, `${concurrent} tasks are under way`)
    }
    const waitMs = this.#refill ? this.#drain(request) : 0
    if (waitMs > 0) return this.#refuse(429, waitMs, 'the bucket is empty')
    return { respond: undefined, why: letsThrough }
  }

  #refuse(status: number, waitMs: number, why: string): { respond: Respond; why: string } {
    const { respond } = this.throttle
    const retryAfter = waitMs === Infinity ? undefined : waitMs
    const refusal: Respond = { status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    if (!respond) return { respond: refusal, why }
    const isAuto = respond.retryAfter === 'auto' && retryAfter !== undefined
    return { respond: { status, ...respond, ...(isAuto ? { retryAfter } : {}) }, why }
  }

  /** Takes a token. @returns 0, or the time until there is one. */
  #drain(request: Matchable): number {
    const { namespaceName, now } = request
    const { tokens, everyMs } = this.#refill!
    const { capacity } = this.throttle.bucket!
    const name = this.#nameOf(request)
    const level = this.#levelOf(namespaceName, name, now)
    this.#changes.note('level', namespaceName, this.id, name)
    level.tokens = Math.min(capacity, level.tokens + ((now - level.at) / everyMs) * tokens)
    level.at = now
    // Tokens return in fractions. A rounding error must not refuse a client.
    if (level.tokens < 1 - 1e-9) return Math.ceil(((1 - level.tokens) / tokens) * everyMs)
    level.tokens -= 1
    return 0
  }

  #levelOf(namespace: string, key: string, now: number): Level {
    let levels = this.#levels.get(namespace)
    if (!levels) {
      levels = new BoundedMap(maxBuckets, (name) => this.#changes.note('level', namespace, this.id, name))
      this.#levels.set(namespace, levels)
    }
    let level = levels.get(key)
    if (!level) {
      level = { tokens: this.throttle.bucket?.capacity ?? this.throttle.rate!.requests, at: now }
      levels.set(key, level)
    }
    return level
  }
}
