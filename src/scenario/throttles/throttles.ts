import type { RuleCount } from '../rules/rules.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { Changes } from '../../engine/tasks/changes.ts'
import type { ReadMatch } from '../rules/match.ts'
import type { Respond, Throttle } from '../vocabulary/types.ts'
import type { RuleReason, Matchable } from '../rules/rule.ts'
import type { Variables } from '../rules/variables.ts'
import { letsThrough, ThrottleState, type RateDecision } from './throttle-state.ts'

/** The decision of all throttles on a request. */
export interface ThrottleDecision {
  /** The response of the first exceeded throttle; undefined if all let the request pass. */
  readonly respond: Respond | undefined
  readonly throttles: readonly string[]
  readonly reasons: readonly RuleReason[]
}

const lets: ThrottleDecision = { respond: undefined, throttles: [], reasons: [] }

/** Limits on rate and concurrency: rates, token buckets, unfinished tasks, outages. */
export class Throttles {
  readonly #operations: OperationTable
  readonly #changes: Changes
  #watched: ThrottleState[] = []

  /**
   * @param operations those that throttles may match.
   * @param changes records every level and count that changes.
   * @throws {RuleError} for an invalid throttle.
   */
  constructor(
    operations: OperationTable,
    throttles: readonly Throttle[] = [],
    changes: Changes = new Changes(),
  ) {
    this.#operations = operations
    this.#changes = changes
    this.replace(throttles)
  }

  /**
   * Replaces all throttles, or none. An unchanged throttle keeps its levels.
   * @throws {RuleError} for an invalid throttle. The old ones stay then.
   */
  replace(throttles: readonly Throttle[]): void {
    const replaced = this.#watched
    const before = new Map(replaced.map((watched) => [watched.id, watched]))
    this.#watched = throttles.map((limit, index) => {
      const fresh = new ThrottleState(
        (limit as Throttle | null)?.id ?? `throttle-${index + 1}`,
        limit,
        this.#operations,
        this.#changes,
      )
      const old = before.get(fresh.id)
      return old && JSON.stringify(old.throttle) === JSON.stringify(limit) ? old : fresh
    })
    for (const old of replaced) if (!this.#watched.includes(old)) old.noteAll()
  }

  get isEmpty(): boolean {
    return this.#watched.length === 0
  }

  get hasRates(): boolean {
    return this.#watched.some(({ throttle }) => throttle.rate !== undefined)
  }

  /** Whether a throttle matches requests about a task, or waiting tasks, by the body that created the task. */
  get needsTaskBodies(): boolean {
    return this.#watched.some(
      ({ match, throttle }) =>
        match.needsTaskBody || (throttle.workers !== undefined && throttle.match.body !== undefined),
    )
  }

  /** The throttles that queue tasks for a number of workers. */
  get workforces(): { id: string; workers: number; match: ReadMatch }[] {
    return this.#watched.flatMap(({ id, throttle: { workers }, match }) =>
      workers === undefined ? [] : [{ id, workers, match }],
    )
  }

  /** @param namespace limits the counts to one namespace; all by default. */
  counts(namespace?: string): RuleCount[] {
    return this.#watched.map((watched) => ({
      id: watched.id,
      ...watched.countIn(namespace),
      optional: watched.throttle.optional ?? watched.throttle.workers !== undefined,
    }))
  }

  /** Resets all counts and levels. */
  reset(): void {
    this.#watched = this.#watched.map(
      ({ id, throttle }) => new ThrottleState(id, throttle, this.#operations, this.#changes),
    )
  }

  /** The throttles with their levels, for the stored state. */
  get watched(): readonly ThrottleState[] {
    return this.#watched
  }

  forget(namespace: string): void {
    for (const watched of this.#watched) watched.forget(namespace)
  }

  /**
   * Counts an admitted request in each throttle, up to the first that refuses it. Rates have been counted before.
   * @param underWay the number of unfinished tasks of the request's key, or of its namespace.
   */
  take(
    request: Matchable,
    underWay: (per: 'key' | 'namespace') => number,
    variables: Variables,
  ): ThrottleDecision {
    if (this.isEmpty) return lets
    const reasons: RuleReason[] = []
    for (const watched of this.#watched) {
      if (watched.throttle.rate) {
        reasons.push({
          rule: watched.id,
          fired: false,
          why: watched.mismatch(request, variables) ?? letsThrough,
        })
        continue
      }
      const refused = watched.take(request, underWay, variables)
      reasons.push({ rule: watched.id, fired: refused.respond !== undefined, why: refused.why })
      if (refused.respond) return { respond: refused.respond, throttles: [watched.id], reasons }
    }
    return { respond: undefined, throttles: [], reasons }
  }

  /** Counts a request in each rate, up to the first that refuses it. Call it before the request is parsed. */
  takeRates(request: Matchable, variables: Variables): RateDecision {
    let headers: RateDecision['headers']
    for (const watched of this.#watched) {
      const taken = watched.takeRate(request, variables)
      if (taken?.headers) headers = { ...headers, ...taken.headers }
      if (taken?.refusal) return { headers, refusal: taken.refusal }
    }
    return { headers, refusal: undefined }
  }
}
