import { Counters } from '../engine/counters.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { checkDuration, sampleDuration } from '../engine/distribution.ts'
import type { Draws } from '../engine/draws.ts'
import { DurationError } from '../engine/duration.ts'
import { fitsGlob } from '../engine/glob.ts'
import { operations } from '../engine/operation.ts'
import { shareOf } from './share.ts'
import { noDecision, type Rule, type RuleDecision, type RuleSubject } from './rule.ts'

/** A rule with what has happened to it. */
interface Watched {
  readonly id: string
  readonly rule: Rule
  /** By namespace, so that what is forgotten there leaves the others alone. */
  readonly counts: Map<string, RuleCounts>
  eligible: number
  firings: number
}

/** How often each subject was concerned, and how often the rule fired for it. */
interface RuleCounts {
  readonly seen: Counters
  readonly fired: Counters
}

/** A rule that can't be. The message names it and says what to write instead. */
export class RuleError extends Error {
  override name = 'RuleError'
}

/**
 * The rules of a simulator, in order. Each counts every request it concerns, whether or not another rule
 * fired; the first that may fire decides.
 */
export class Rules {
  readonly #draws: Draws
  #watched: Watched[] = []

  /** @throws {RuleError} as {@link add} does. */
  constructor(draws: Draws, rules: readonly Rule[] = []) {
    this.#draws = draws
    for (const rule of rules) this.add(rule)
  }

  /**
   * Adds a rule behind the others. Tasks that run keep their plans.
   * @throws {RuleError} for an operation nobody knows, a time that can't be read, or an id that is taken.
   */
  add(rule: Rule): void {
    const id = rule.id ?? `rule-${this.#watched.length + 1}`
    checkRule(id, rule)
    if (this.#watched.some((watched) => watched.id === id)) {
      throw new RuleError(
        `Failed to add rule "${id}": there is one of this id. Ids key the dice; give it another.`,
      )
    }
    this.#watched.push({ id, rule, counts: new Map(), eligible: 0, firings: 0 })
  }

  /**
   * Puts these in the place of all rules, or none of them. A rule that is as before, its id too, goes on with its
   * counts: what was to happen once doesn't happen again. Tasks that run keep their plans.
   * @throws {RuleError} as {@link add} does; then the old rules stay.
   */
  replace(rules: readonly Rule[]): void {
    const before = new Map(this.#watched.map((watched) => [watched.id, watched]))
    const fresh = new Rules(this.#draws, rules)
    this.#watched = fresh.#watched.map((watched) => {
      const old = before.get(watched.id)
      return old && JSON.stringify(old.rule) === JSON.stringify(watched.rule) ? old : watched
    })
  }

  get isEmpty(): boolean {
    return this.#watched.length === 0
  }

  /** How often each rule concerned a request, and how often it fired. */
  counts(): { id: string; eligible: number; fired: number }[] {
    return this.#watched.map(({ id, eligible, firings }) => ({ id, eligible, fired: firings }))
  }

  /** Counts anew in a namespace, as if nothing had been asked there. */
  forget(namespace: string): void {
    for (const { counts } of this.#watched) counts.delete(namespace)
  }

  /** Asked once for each request that passed the gate. */
  decide(request: RuleSubject): RuleDecision {
    let decision: RuleDecision | undefined
    for (const watched of this.#watched) {
      if (!concerns(watched.rule, request)) continue
      if (!this.#mayFire(watched, request) || decision) continue
      decision = this.#fire(watched, request)
    }
    return decision ?? noDecision
  }

  #mayFire(watched: Watched, request: RuleSubject): boolean {
    const { id, rule } = watched
    const { seen, fired } = countsOf(watched, request.namespace)
    const scope = scopeOf(rule, request)
    const ordinal = seen.next(scope) + 1
    watched.eligible++
    if (rule.on !== undefined && ![rule.on].flat().includes(ordinal)) return false
    if (rule.times !== undefined && fired.count(scope) >= rule.times) return false
    if (rule.chance === undefined) return true
    return this.#draws.unit(`${id}.chance`, request.subject, request.attempt) < shareOf(rule.chance)
  }

  #fire(watched: Watched, request: RuleSubject): RuleDecision {
    const { id, rule } = watched
    countsOf(watched, request.namespace).fired.next(scopeOf(rule, request))
    watched.firings++
    const draw = this.#draws.unit(`${id}.delay`, request.subject, request.attempt)
    const delayMs = rule.delay === undefined ? 0 : (sampleDuration(rule.delay, draw) ?? Infinity)
    return { ...noDecision, rules: [id], delayMs, task: rule.task ?? {} }
  }
}

function checkRule(id: string, { match, delay, task }: Rule): void {
  const failed = `Failed to add rule "${id}"`
  const unknown = [match.op].flat().find((op) => !operations.some((known) => fitsGlob(op, known)))
  if (unknown !== undefined) {
    const known = `Use one of ${operations.join(', ')}, or a pattern with *.`
    throw new RuleError(`${failed}: "${unknown}" is no operation.${didYouMean(unknown, operations)} ${known}`)
  }
  for (const spec of [delay, task?.queued, task?.render]) {
    try {
      if (spec !== undefined) checkDuration(spec)
    } catch (error) {
      if (!(error instanceof DurationError)) throw error
      throw new RuleError(`${failed}: ${error.message}.`)
    }
  }
}

function countsOf({ counts }: Watched, namespace: string): RuleCounts {
  let known = counts.get(namespace)
  if (!known) counts.set(namespace, (known = { seen: new Counters(), fired: new Counters() }))
  return known
}

function concerns({ match }: Rule, request: RuleSubject): boolean {
  return (
    [match.op].flat().some((op) => fitsGlob(op, request.operation)) &&
    (match.model === undefined || fitsGlob(match.model, request.model ?? '')) &&
    (match.prompt === undefined || fitsGlob(match.prompt, request.prompt ?? ''))
  )
}

function scopeOf({ per = 'namespace' }: Rule, { subject }: RuleSubject): string {
  return per === 'task' ? subject : ''
}
