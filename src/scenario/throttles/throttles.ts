import { Changes } from '../../engine/tasks/changes.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { loadPatterns, patternsAreMissing } from '../schema/patterns.ts'
import { readMatch, type ReadMatch } from '../rules/match.ts'
import type { Respond, Throttle } from '../vocabulary/types.ts'
import type { RuleReason, Matchable } from '../rules/rule.ts'
import { RuleError } from '../rules/check-rule.ts'
import { firstMistake } from '../schema/mistakes.ts'
import { throttleSchema } from '../vocabulary/throttle-schema.ts'
import { parseWindow, readRefill, type Window } from '../schema/window.ts'

/** How full a bucket was, and when. */
export interface Level {
  tokens: number
  at: number
}

/** More keys than this share no memory of their buckets. */
const maxBuckets = 10_000

/** What came of asking the limits. */
export interface ThrottleDecision {
  /** How the first that is used up refuses; undefined when all let the request through. */
  readonly respond: Respond | undefined
  readonly throttles: readonly string[]
  readonly reasons: readonly RuleReason[]
}

const lets: ThrottleDecision = { respond: undefined, throttles: [], reasons: [] }

/** What is used up and comes back: token buckets, tasks under way, outages. */
export class Throttles {
  readonly #changes: Changes
  #watched: ThrottleState[] = []

  /**
   * @param changes told of every level and count that changes.
   * @throws {RuleError} for a limit that can't be.
   */
  constructor(throttles: readonly Throttle[] = [], changes: Changes = new Changes()) {
    this.#changes = changes
    this.replace(throttles)
  }

  /**
   * Puts these in the place of all, or none of them; one that is as before keeps its levels.
   * @throws {RuleError} for a limit that can't be; then the old ones stay.
   */
  replace(throttles: readonly Throttle[]): void {
    const before = new Map(this.#watched.map((watched) => [watched.id, watched]))
    this.#watched = throttles.map((limit, index) => {
      const fresh = new ThrottleState(
        (limit as Throttle | null)?.id ?? `throttle-${index + 1}`,
        limit,
        this.#changes,
      )
      const old = before.get(fresh.id)
      return old && JSON.stringify(old.throttle) === JSON.stringify(limit) ? old : fresh
    })
  }

  get isEmpty(): boolean {
    return this.#watched.length === 0
  }

  /** Whether some limit matches requests about a task, or waiting tasks, on the body that made it. */
  get needsTaskBodies(): boolean {
    return this.#watched.some(
      ({ match, throttle }) =>
        match.needsTaskBody || (throttle.workers !== undefined && throttle.match.body !== undefined),
    )
  }

  /** What must be awaited before the next request is asked about; undefined when nothing is missing. */
  get loading(): Promise<void> | undefined {
    const isMissing = patternsAreMissing() && this.#watched.some(({ match }) => match.needsPatterns)
    return isMissing ? loadPatterns() : undefined
  }

  /** Those that let tasks wait for each other. */
  get workforces(): { id: string; workers: number; match: ReadMatch }[] {
    return this.#watched.flatMap(({ id, throttle: { workers }, match }) =>
      workers === undefined ? [] : [{ id, workers, match }],
    )
  }

  /** @param namespace where given, what happened there; else everywhere. */
  counts(namespace?: string): { id: string; eligible: number; fired: number; optional: boolean }[] {
    return this.#watched.map((watched) => ({
      id: watched.id,
      ...watched.countIn(namespace),
      optional: watched.throttle.optional ?? watched.throttle.workers !== undefined,
    }))
  }

  /** Counts anew everywhere. */
  reset(): void {
    this.#watched = this.#watched.map(({ id, throttle }) => new ThrottleState(id, throttle, this.#changes))
  }

  /** The limits, for whoever keeps their levels. */
  get watched(): readonly ThrottleState[] {
    return this.#watched
  }

  forget(namespace: string): void {
    for (const watched of this.#watched) watched.forget(namespace)
  }

  /**
   * Asked once for each request that passed the gate. Each limit in turn is charged, up to the first that refuses.
   * @param underWay how many tasks of the request's key, or of its namespace, have not ended.
   */
  take(request: Matchable, underWay: (per: 'key' | 'namespace') => number): ThrottleDecision {
    if (this.isEmpty) return lets
    const reasons: RuleReason[] = []
    for (const watched of this.#watched) {
      const refused = watched.take(request, underWay)
      reasons.push({ rule: watched.id, fired: refused.respond !== undefined, why: refused.why })
      if (refused.respond) return { respond: refused.respond, throttles: [watched.id], reasons }
    }
    return { respond: undefined, throttles: [], reasons }
  }
}

/** A throttle with what was taken of it. */
export class ThrottleState {
  readonly id: string
  readonly throttle: Throttle
  readonly match: ReadMatch
  /** How often it concerned a request, and refused one: everywhere, and by namespace. */
  readonly #everywhere = { eligible: 0, fired: 0 }
  readonly #counts = new Map<string, { eligible: number; fired: number }>()
  readonly #levels = new Map<string, BoundedMap<Level>>()
  readonly #refill: { tokens: number; everyMs: number } | undefined
  readonly #outage: Window | undefined
  readonly #changes: Changes

  constructor(id: string, throttle: Throttle, changes: Changes) {
    this.#changes = changes
    this.id = id
    this.throttle = throttle
    const mistake = firstMistake(throttleSchema, throttle)
    if (mistake !== undefined) throw new RuleError(`Failed to add throttle "${id}": ${mistake}`)
    this.match = readMatch(throttle.match)
    this.#refill = throttle.bucket && readRefill(throttle.bucket.refill)
    this.#outage = throttle.outage === undefined ? undefined : parseWindow(throttle.outage)
  }

  forget(namespace: string): void {
    this.#levels.delete(namespace)
    this.#counts.delete(namespace)
  }

  countIn(namespace: string | undefined): { eligible: number; fired: number } {
    if (namespace === undefined) return this.#everywhere
    return this.#counts.get(namespace) ?? { eligible: 0, fired: 0 }
  }

  /** Goes on from what has happened everywhere. */
  restoreCount(eligible: number, fired: number): void {
    Object.assign(this.#everywhere, { eligible, fired })
  }

  level(namespace: string, name: string): Level | undefined {
    return this.#levels.get(namespace)?.get(name)
  }

  /** Goes on from a level of before. */
  restoreLevel(namespace: string, name: string, { tokens, at }: Level): void {
    Object.assign(this.#levelOf(namespace, name, at), { tokens, at })
  }

  /** What has a level: namespaces with sealed keys. */
  *levels(): Generator<[namespace: string, name: string]> {
    for (const [namespace, levels] of this.#levels) for (const name of levels.keys()) yield [namespace, name]
  }

  take(
    request: Matchable,
    underWay: (per: 'key' | 'namespace') => number,
  ): { respond: Respond | undefined; why: string } {
    const mismatch = this.match.mismatch(request)
    if (mismatch !== undefined) return { respond: undefined, why: mismatch }
    const asked = this.#ask(request, underWay)
    const { namespaceName } = request
    this.#changes.note('limit', this.id)
    const here = this.countIn(namespaceName)
    this.#counts.set(namespaceName, here)
    for (const count of [this.#everywhere, here]) {
      count.eligible++
      if (asked.respond) count.fired++
    }
    return asked
  }

  #ask(
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
    return { respond: undefined, why: 'it lets the request through' }
  }

  #refuse(status: number, waitMs: number, why: string): { respond: Respond; why: string } {
    const { respond } = this.throttle
    const retryAfter = waitMs === Infinity ? undefined : waitMs
    const usual: Respond = { status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    if (!respond) return { respond: usual, why }
    const isAuto = respond.retryAfter === 'auto' && retryAfter !== undefined
    return { respond: { status, ...respond, ...(isAuto ? { retryAfter } : {}) }, why }
  }

  /** Takes a token. @returns 0, or how long it takes until there is one. */
  #drain({ namespaceName, keyName, now }: Matchable): number {
    const { tokens, everyMs } = this.#refill!
    const { capacity } = this.throttle.bucket!
    const name = this.throttle.per === 'namespace' ? '' : hashApiKey(keyName)
    const level = this.#levelOf(namespaceName, name, now)
    this.#changes.note('level', namespaceName, this.id, name)
    level.tokens = Math.min(capacity, level.tokens + ((now - level.at) / everyMs) * tokens)
    level.at = now
    // Tokens come back in parts; what rounding takes off must not keep a client out.
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
      level = { tokens: this.throttle.bucket!.capacity, at: now }
      levels.set(key, level)
    }
    return level
  }
}
