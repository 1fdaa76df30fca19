import { Counters } from '../engine/counters.ts'
import { sampleDuration } from '../engine/distribution.ts'
import type { Draws } from '../engine/draws.ts'
import { fitsGlob } from './glob.ts'
import type { Rule, RuleDecision, RuleSubject } from './rule.ts'

/** A rule with what has happened to it. */
interface Watched {
  readonly id: string
  readonly rule: Rule
  readonly seen: Counters
  readonly fired: Counters
  eligible: number
  firings: number
}

const nothing: RuleDecision = { rules: [], delayMs: 0, task: {} }

/**
 * The rules of a simulator, in order. Each counts every request it concerns, whether or not another rule
 * fired; the first that may fire decides.
 */
export class Rules {
  readonly #draws: Draws
  readonly #watched: Watched[] = []

  constructor(draws: Draws, rules: readonly Rule[] = []) {
    this.#draws = draws
    for (const rule of rules) this.add(rule)
  }

  /** Adds a rule behind the others. Tasks that run keep their plans. */
  add(rule: Rule): void {
    const id = rule.id ?? `rule-${this.#watched.length + 1}`
    this.#watched.push({ id, rule, seen: new Counters(), fired: new Counters(), eligible: 0, firings: 0 })
  }

  /** How often each rule concerned a request, and how often it fired. */
  counts(): { id: string; eligible: number; fired: number }[] {
    return this.#watched.map(({ id, eligible, firings }) => ({ id, eligible, fired: firings }))
  }

  /** Asked once for each request that passed the gate. */
  decide(request: RuleSubject): RuleDecision {
    let decision: RuleDecision | undefined
    for (const watched of this.#watched) {
      if (!concerns(watched.rule, request)) continue
      if (!this.#mayFire(watched, request) || decision) continue
      decision = this.#fire(watched, request)
    }
    return decision ?? nothing
  }

  #mayFire(watched: Watched, request: RuleSubject): boolean {
    const { id, rule, seen, fired } = watched
    const scope = scopeOf(rule, request)
    const ordinal = seen.next(scope) + 1
    watched.eligible++
    if (rule.on !== undefined && !(Array.isArray(rule.on) ? rule.on : [rule.on]).includes(ordinal))
      return false
    if (rule.times !== undefined && fired.count(scope) >= rule.times) return false
    return (
      rule.chance === undefined ||
      this.#draws.unit(`${id}.chance`, request.subject, request.attempt) < rule.chance
    )
  }

  #fire(watched: Watched, request: RuleSubject): RuleDecision {
    const { id, rule, fired } = watched
    fired.next(scopeOf(rule, request))
    watched.firings++
    const draw = this.#draws.unit(`${id}.delay`, request.subject, request.attempt)
    const delayMs = rule.delay === undefined ? 0 : (sampleDuration(rule.delay, draw) ?? Infinity)
    return { rules: [id], delayMs, task: rule.task ?? {} }
  }
}

function concerns({ match }: Rule, request: RuleSubject): boolean {
  return (
    fitsGlob(match.op, request.operation) &&
    (match.model === undefined || fitsGlob(match.model, request.model ?? '')) &&
    (match.prompt === undefined || fitsGlob(match.prompt, request.prompt ?? ''))
  )
}

function scopeOf({ per = 'namespace' }: Rule, { namespace, subject }: RuleSubject): string {
  return per === 'task' ? `${namespace}/${subject}` : namespace
}
