import type { Changes } from '../../engine/tasks/changes.ts'
import { Counters } from '../../engine/bounded-map.ts'
import { sampleDuration } from '../../engine/random/distribution.ts'
import type { Draws } from '../../engine/random/draws.ts'
import { hash128Hex, hashApiKey } from '../../engine/random/hash.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { Fault, FaultType } from '../faults/index.ts'
import { readMatch, type ReadMatch } from './match.ts'
import { formatOrdinal } from '../../engine/wording.ts'
import { noDecision, type Matchable, type OnlyEffect, type RuleDecision } from './rule.ts'
import type { Attempt, Respond, Rule } from '../vocabulary/types.ts'
import { parseFraction } from '../schema/values.ts'
import { type Variables, When } from './variables.ts'

/** The effect of a rule on a response, in addition to its effect on the task. */
interface RuleEffect {
  readonly respond?: Respond
  readonly fault?: Fault
  readonly delayMs: number
  /** Its only effect, if that may turn out to change nothing: a fault that can't break the response, or fields that it lacks. */
  readonly only?: OnlyEffect
}

/** The result of evaluating a rule for a request. */
export interface RuleEvaluation {
  /** The effect if it fires; undefined if it can't. */
  readonly effect: RuleEffect | undefined
  readonly why: string
}

/** How many requests of each subject matched, and how often the rule fired for them. */
interface RuleCounts {
  readonly seen: Counters
  readonly fired: Counters
  /** The counts of all subjects together. */
  readonly total: { eligible: number; fired: number }
}

/** A rule with its counters. */
export class RuleState {
  readonly id: string
  readonly rule: Rule
  /** The only namespace that the rule applies to; undefined for all. */
  readonly namespace: string | undefined
  eligible = 0
  fired = 0
  /** By namespace, so that one can be reset separately. */
  readonly #counts = new Map<string, RuleCounts>()
  readonly #match: ReadMatch
  readonly #when: When
  readonly #chance: number | undefined
  readonly #changes: Changes
  readonly #fillsFromBody: boolean
  readonly #operations: OperationTable

  /**
   * @param operations those of its simulator.
   * @param changes records every count that changes.
   * @param namespace the only namespace that the rule applies to.
   */
  constructor(id: string, rule: Rule, operations: OperationTable, changes: Changes, namespace?: string) {
    this.#changes = changes
    this.#operations = operations
    this.id = id
    this.rule = rule
    this.namespace = namespace
    this.#match = readMatch(rule.match, operations)
    this.#fillsFromBody = JSON.stringify([rule.respond, rule.attempts, rule.set]).includes('${body.')
    this.#when = new When(rule.when)
    this.#chance = rule.chance === undefined ? undefined : parseFraction(rule.chance)
  }

  /** A hash of its definition. */
  get print(): string {
    return hash128Hex(JSON.stringify({ ...this.rule, id: undefined }))
  }

  get needsTaskBody(): boolean {
    return this.#match.needsTaskBody || this.#fillsFromBody
  }

  /** Whether it applies to a namespace. */
  isOf(namespace: string): boolean {
    return this.namespace === undefined || this.namespace === namespace
  }

  /** Whether the rule has fired as often as it may, in every namespace with matching requests. */
  get isSpent(): boolean {
    const { times } = this.rule
    if (times === undefined || scopeKind(this.rule) !== 'namespace' || this.#counts.size === 0) return false
    for (const { total } of this.#counts.values()) if (total.fired < times) return false
    return true
  }

  /** How many requests of a namespace it matched, and how often it fired there. */
  countIn(namespace: string): { eligible: number; fired: number } {
    return this.#counts.get(namespace)?.total ?? { eligible: 0, fired: 0 }
  }

  forget(namespace: string): void {
    this.#counts.delete(namespace)
  }

  /** Marks all its counters dirty before it is replaced. */
  noteAll(): void {
    for (const [namespace, scope] of this.subjects()) this.#changes.note('count', namespace, this.id, scope)
  }

  /** Counts a matching request, and decides whether the rule may fire. {@link fire} records that it did. */
  ask(request: Matchable, variables: Variables, draws: Draws): RuleEvaluation {
    const mismatch = this.#match.mismatch(request) ?? this.#when.mismatch(request, variables)
    if (mismatch !== undefined) return { effect: undefined, why: mismatch }
    this.eligible++
    const { seen, fired, total } = this.#countsOf(request.namespaceName)
    total.eligible++
    const scope = scopeOf(this.rule, request)
    const ordinal = seen.next(scope) + 1
    this.#note(request.namespaceName, scope)
    const { on, from, every, times } = this.rule
    const count = `request ${ordinal} of ${scopeNames[scopeKind(this.rule)]}`
    const refuse = (why: string): RuleEvaluation => ({ effect: undefined, why: `${count}, ${why}` })
    if (on !== undefined && ![on].flat().includes(ordinal))
      return refuse(`wanted ${[on].flat().join(' or ')}`)
    if (from !== undefined && ordinal < from) return refuse(`wanted ${from} or later`)
    if (every !== undefined && ordinal % every !== 0) return refuse(`wanted every ${formatOrdinal(every)}`)
    if (times !== undefined && fired.count(scope) >= times) return refuse(`fired ${times} times already`)
    const attempt = this.rule.attempts?.[ordinal - 1]
    if (this.rule.attempts && (attempt === undefined || attempt === 'ok'))
      return refuse('which is to go well')
    let drawn = ''
    if (this.#chance !== undefined) {
      const draw = draws.unit(`${this.id}.chance`, request.subject, request.attempt)
      if (draw >= this.#chance)
        return refuse(`the random draw ${draw.toFixed(3)} is not below ${this.#chance}`)
      drawn = `, the random draw ${draw.toFixed(3)} is below ${this.#chance}`
    }
    return { effect: this.#effect(attempt, request, draws), why: count + drawn }
  }

  /** Records that the rule has fired. */
  fire(request: Matchable): void {
    const scope = scopeOf(this.rule, request)
    const { fired, total } = this.#countsOf(request.namespaceName)
    fired.next(scope)
    total.fired++
    this.fired++
    this.#note(request.namespaceName, scope)
  }

  /** Takes back that it has fired: its effect changed nothing. */
  withdraw(request: Pick<Matchable, 'subject' | 'accountName' | 'operationName' | 'namespaceName'>): void {
    const scope = scopeOf(this.rule, request)
    const { fired, total } = this.#countsOf(request.namespaceName)
    const count = fired.count(scope)
    if (count === 0) return
    fired.restore(scope, count === 1 ? undefined : count - 1)
    total.fired--
    this.fired--
    this.#note(request.namespaceName, scope)
  }

  /** Forgets a removed task. */
  forgetTask(namespace: string, task: string): void {
    const counts = this.#counts.get(namespace)
    const kind = scopeKind(this.rule)
    if (!counts || (kind !== 'task' && kind !== 'subject')) return
    const scopes = kind === 'task' ? [task] : this.#operations.names.map((name) => `${name}/${task}`)
    for (const scope of scopes) {
      if (counts.seen.count(scope) === 0) continue
      counts.seen.restore(scope, undefined)
      counts.fired.restore(scope, undefined)
      this.#note(namespace, scope)
    }
  }

  /** The counts of a subject; undefined if no request of the subject matched. */
  count(namespace: string, scope: string): [seen: number, fired: number] | undefined {
    const counts = this.#counts.get(namespace)
    const seen = counts?.seen.count(scope) ?? 0
    return seen === 0 ? undefined : [seen, counts!.fired.count(scope)]
  }

  /** Restores stored counts. */
  restoreCount(namespace: string, scope: string, [seen, fired]: [number, number]): void {
    const counts = this.#countsOf(namespace)
    counts.total.eligible += seen - counts.seen.count(scope)
    counts.total.fired += fired - counts.fired.count(scope)
    counts.seen.restore(scope, seen === 0 ? undefined : seen)
    counts.fired.restore(scope, fired === 0 ? undefined : fired)
  }

  /** The subjects that it counts, by namespace. */
  *subjects(): Generator<[namespace: string, scope: string]> {
    for (const [namespace, { seen }] of this.#counts) {
      for (const scope of seen.subjects()) yield [namespace, scope]
    }
  }

  #effect(attempt: Attempt | undefined, request: Matchable, draws: Draws): RuleEffect {
    const own = { respond: this.rule.respond, fault: this.rule.fault, delay: this.rule.delay }
    const { respond, fault, delay } = { ...own, ...effectOf(attempt) }
    const draw = draws.unit(`${this.id}.delay`, request.subject, request.attempt)
    const { task, answer, stream, media, set } = this.rule
    const hasMore = [delay, task, answer, media, set].some((effect) => effect !== undefined)
    const only = hasMore ? undefined : onlyEffectOf(respond, fault, stream)
    return {
      ...(only && { only }),
      ...(respond && { respond: this.#inTime(respond, request) }),
      ...(fault !== undefined && { fault: faultOf(fault) }),
      delayMs: delay === undefined ? 0 : (sampleDuration(delay, draw) ?? Infinity),
    }
  }

  /** Computes `retryAfter: auto`: the time until the rule's window lets requests pass again. */
  #inTime(respond: Respond, { elapsedMs }: Matchable): Respond {
    if (respond.retryAfter !== 'auto') return respond
    const { untilMs } = this.#when
    return { ...respond, retryAfter: untilMs === Infinity ? 1_000 : untilMs - elapsedMs }
  }

  /** The key of the rule in the stored state, since rules of two namespaces may have the same id. */
  get address(): [id: string, ...namespace: string[]] {
    return this.namespace === undefined ? [this.id] : [this.id, this.namespace]
  }

  #note(namespace: string, scope: string): void {
    this.#changes.note('rule', ...this.address)
    this.#changes.note('count', namespace, this.id, scope)
  }

  #countsOf(namespace: string): RuleCounts {
    let known = this.#counts.get(namespace)
    if (!known) {
      known = { seen: new Counters(), fired: new Counters(), total: { eligible: 0, fired: 0 } }
      this.#counts.set(namespace, known)
    }
    return known
  }
}

type ScopeKind = 'namespace' | 'key' | 'task' | 'subject'

const scopeNames: Readonly<Record<ScopeKind, string>> = {
  namespace: 'the namespace',
  key: 'this key',
  task: 'this task',
  subject: 'this kind',
}

/** Attempts count per operation and task, so other tasks and other phases don't affect them. */
function scopeKind({ per, attempts }: Rule): ScopeKind {
  return per ?? (attempts ? 'subject' : 'namespace')
}

/** An effect that may turn out to change nothing, if there is no other. */
function onlyEffectOf(respond: unknown, fault: unknown, stream: unknown): OnlyEffect | undefined {
  const present = Object.entries({ respond, fault, stream }).filter(([, effect]) => effect !== undefined)
  if (present.length !== 1) return undefined
  const [name, effect] = present[0]!
  if (name !== 'respond') return name as OnlyEffect
  const editsOnly = Object.keys(effect as object).every((key) => key === 'omit' || key === 'set')
  return editsOnly ? 'fields' : undefined
}

function scopeOf(
  rule: Rule,
  { subject, accountName, operationName }: Pick<Matchable, 'subject' | 'accountName' | 'operationName'>,
): string {
  switch (scopeKind(rule)) {
    case 'namespace':
      return ''
    case 'key':
      return hashApiKey(accountName)
    case 'task':
      return subject
    case 'subject':
      return `${operationName}/${subject}`
  }
}

/**
 * The effect of an attempt. A status alone stands for a response with it. A 429 has Retry-After, which clients of the
 * gateway need.
 * @assumed §8 injected 429s are not documented; wire §2.3.
 */
export function effectOf(attempt: Attempt | undefined): Pick<Rule, 'respond' | 'fault' | 'delay'> {
  if (attempt === undefined || attempt === 'ok') return {}
  if (attempt === 429) return { respond: { status: 429, retryAfter: '1s' } }
  if (typeof attempt === 'number') return { respond: { status: attempt } }
  return typeof attempt === 'string' ? { fault: attempt } : attempt
}

export function faultOf(fault: FaultType | Fault): Fault {
  return typeof fault === 'string' ? ({ type: fault } as Fault) : fault
}

/** Adds the effect of a rule to a decision. Effects of earlier rules take precedence. */
export function addEffect(
  before: RuleDecision | undefined,
  { id, rule }: RuleState,
  effect: RuleEffect,
): RuleDecision {
  const { delayMs, respond, fault, only } = effect
  const { task, answer, stream, media } = rule
  return {
    ...noDecision,
    ...(answer && { answer }),
    ...(stream && { stream }),
    ...(media && { media }),
    ...(respond && { respond }),
    ...(fault && { fault }),
    ...before,
    rules: [...(before?.rules ?? []), id],
    ...(only && { uncertain: [...(before?.uncertain ?? []), { rule: id, only }] }),
    delayMs: before?.delayMs ? before.delayMs : delayMs,
    task: { ...task, ...before?.task },
  }
}
