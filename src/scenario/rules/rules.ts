import { maxRules } from '../vocabulary/rule-schema.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { Changes } from '../../engine/tasks/changes.ts'
import type { Draws } from '../../engine/random/draws.ts'
import { checkRule, idIsTaken, requireEffect, RuleError } from './check-rule.ts'
import { noDecision, type ListedRule, type RuleDecision, type RuleReason, type Matchable } from './rule.ts'
import type { Rule } from '../vocabulary/types.ts'
import { Variables } from './variables.ts'
import { addEffect, RuleState, type RuleEvaluation } from './rule-state.ts'

export { RuleError } from './check-rule.ts'

/** How many requests a rule matched, and how often it fired. */
export interface RuleCount {
  readonly id: string
  readonly eligible: number
  readonly fired: number
  readonly optional: boolean
}

/** How many spent `next` rules stay listed. */
const maxSpentRules = 20

/** A rule in the stored state. */
export interface RulePast {
  readonly layer: Layer
  readonly eligible: number
  readonly fired: number
  /** A hash of its definition. */
  readonly print: string
  /** Its definition, unless it is in a file. */
  readonly rule?: Rule
}

/** The layers of rules, strongest first. */
const layers = ['next', 'added', 'file'] as const satisfies readonly ListedRule['layer'][]
type Layer = (typeof layers)[number]

/**
 * The rules of a simulator in three layers: those for the next requests, those added at run time, those of the file. Each
 * rule counts every matching request, even if another one fired. The first rule that may fire decides.
 */
export class Rules {
  readonly #draws: Draws
  readonly #operations: OperationTable
  readonly #changes: Changes
  readonly #variables: Variables
  #layers: Record<Layer, RuleState[]> = { next: [], added: [], file: [] }
  #all: readonly RuleState[] = []
  #needsTaskBodies = false
  /** How many rules without an id were added, by namespace; '' for rules that apply to all. */
  readonly #added = new Map<string, number>()
  /** Rules whose stored counts came from an edited definition. */
  readonly #changed = new Set<string>()

  /**
   * @param operations those that rules may match.
   * @param changes records every count and variable that changes, and every rule that is added or removed.
   * @throws {RuleError} as {@link add} does.
   */
  constructor(
    draws: Draws,
    operations: OperationTable,
    rules: readonly Rule[] = [],
    changes = new Changes(),
  ) {
    this.#draws = draws
    this.#operations = operations
    this.#changes = changes
    this.#variables = new Variables(changes)
    for (const rule of rules) this.#put('file', rule)
  }

  /**
   * Adds a rule before those of the file and after those added earlier. Running tasks keep their plans.
   * @param namespace the only namespace that the rule applies to; all by default.
   * @returns its id.
   * @throws {RuleError} for an unknown operation, an invalid duration, a taken id, or a rule with neither effect nor id.
   */
  add(rule: Rule, namespace?: string): string {
    // A rule with an id is useful without an effect: expectations count its requests, and later rules don't get them.
    if (rule?.id === undefined)
      requireEffect('added', rule, this.#operations, ', or an id to only count its requests')
    return this.#put('added', rule, namespace)
  }

  /**
   * Adds a rule before all others, which fires once, or `times` times.
   * @throws {RuleError} as {@link add} does, and for every rule without effect.
   */
  next(rule: Rule, namespace?: string): string {
    requireEffect(rule?.id ?? 'next', rule, this.#operations)
    return this.#put('next', { times: 1, ...rule }, namespace)
  }

  /**
   * Removes a rule from any layer.
   * @param namespace if given, removes only a rule that is limited to this namespace.
   * @returns whether there was such a rule.
   */
  remove(id: string, namespace?: string): boolean {
    return this.#removeAll(
      (watched) => watched.id === id && (namespace === undefined || watched.namespace === namespace),
    )
  }

  /** Removes the rules that are limited to a namespace. */
  removeOf(namespace: string): void {
    this.#removeAll((watched) => watched.namespace === namespace)
    this.#added.delete(namespace)
  }

  /**
   * Replaces all rules of the file, or none if one is invalid. An unchanged rule keeps its counts, so that one that fires
   * once doesn't fire again. Running tasks keep their plans.
   * @throws {RuleError} as {@link add} does, also for an id of an added rule. The old rules stay then.
   */
  replace(rules: readonly Rule[]): void {
    const before = new Map(this.#layers.file.map((watched) => [watched.id, watched]))
    const fresh = new Rules(this.#draws, this.#operations, rules, this.#changes)
    const ids = new Set(fresh.#layers.file.map(({ id }) => id))
    const taken = [...this.#layers.next, ...this.#layers.added].filter(({ id }) => ids.has(id))
    const [other] = taken.filter((watched) => !this.#isOver(watched))
    if (other) throw idIsTaken(other.id, 'added at run time')
    this.#removeAll((watched) => taken.includes(watched))
    this.#layers.file = fresh.#layers.file.map((watched) => {
      const old = before.get(watched.id)
      if (old?.print !== watched.print) return watched
      before.delete(watched.id)
      return old
    })
    this.#arrange()
    // The same definition may return later. Its counts start at zero then, too.
    for (const old of before.values()) old.noteAll()
    for (const watched of this.#layers.file) this.#changes.note('rule', ...watched.address)
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Whether a rule matches requests about a task by the body that created the task. */
  get needsTaskBodies(): boolean {
    return this.#needsTaskBodies
  }

  /** @param namespace limits the counts to one namespace; all by default. */
  counts(namespace?: string): RuleCount[] {
    return this.list(namespace).map(({ id, eligible, fired, rule }) => ({
      id,
      eligible,
      fired,
      optional: rule.optional ?? false,
    }))
  }

  /**
   * The current rules, strongest first.
   * @param namespace limits rules and counts to one namespace; all by default.
   */
  list(namespace?: string): ListedRule[] {
    return layers.flatMap((layer) =>
      this.#layers[layer]
        .filter((watched) => namespace === undefined || watched.isOf(namespace))
        .map((watched) => {
          const { id, rule, isSpent: spent, namespace: only } = watched
          const { eligible, fired } = namespace === undefined ? watched : watched.countIn(namespace)
          return { layer, id, ...(only !== undefined && { namespace: only }), eligible, fired, spent, rule }
        }),
    )
  }

  /** The counts of a rule for the stored state, with its definition if it was added at run time. */
  past(id: string, namespace?: string): RulePast | undefined {
    for (const layer of layers) {
      const watched = this.#layers[layer].find((each) => each.id === id && each.namespace === namespace)
      if (!watched) continue
      const { eligible, fired, rule, print } = watched
      return { layer, eligible, fired, print, ...(layer !== 'file' && { rule }) }
    }
    return undefined
  }

  /**
   * Continues from stored counts. An edited rule of the file starts at zero.
   * @throws {RuleError} as {@link add} does.
   */
  restore({ layer, eligible, fired, print, rule }: RulePast, id: string, namespace?: string): void {
    const known = (): RuleState | undefined =>
      this.#all.find((each) => each.id === id && each.namespace === namespace)
    if (!known() && rule && layer !== 'file') {
      this.#put(layer, { ...rule, id }, namespace)
      const [, number] = /^(?:next|added)-(\d{1,9})$/.exec(id) ?? []
      const of = namespace ?? ''
      this.#added.set(of, Math.max(this.#added.get(of) ?? 0, Number(number ?? 0)))
    }
    const watched = known()
    this.#changed.delete(id)
    if (!watched || watched.print !== print) this.#changed.add(id)
    else Object.assign(watched, { eligible, fired })
  }

  /** Restores the counts of a rule for one subject, unless the rule was edited. */
  restoreCount(namespace: string, id: string, scope: string, counts: [number, number]): void {
    if (!this.#changed.has(id)) this.find(id, namespace)?.restoreCount(namespace, scope, counts)
  }

  /** Forgets a removed task. */
  forgetTask(namespace: string, task: string): void {
    for (const watched of this.#all) watched.forgetTask(namespace, task)
  }

  /** Finds a rule that applies to a namespace by its id, in any layer. */
  find(id: string, namespace: string): RuleState | undefined {
    return this.#all.find((watched) => watched.id === id && watched.isOf(namespace))
  }

  /** Takes back that a rule has fired for a request: its effect changed nothing. */
  withdraw(id: string, request: Parameters<RuleState['withdraw']>[0]): void {
    this.find(id, request.namespaceName)?.withdraw(request)
  }

  /** All rules with their counters, strongest first. */
  get watched(): readonly RuleState[] {
    return this.#all
  }

  get variables(): Variables {
    return this.#variables
  }

  /** Resets all counts, and removes the rules that were added at run time. */
  reset(): void {
    this.#added.clear()
    this.#layers = {
      next: [],
      added: [],
      file: this.#layers.file.map(({ id, rule }) => new RuleState(id, rule, this.#operations, this.#changes)),
    }
    this.#arrange()
  }

  /** Resets the counts of a namespace. */
  forget(namespace: string): void {
    // Keeps the counts of `next` rules: a spent one must not fire again.
    for (const watched of [...this.#layers.added, ...this.#layers.file]) watched.forget(namespace)
    this.#variables.forget(namespace)
  }

  /** Decides an admitted request. */
  decide(request: Matchable): RuleDecision {
    const evaluated: [RuleState, RuleEvaluation, boolean][] = []
    let decision: RuleDecision | undefined
    let isOpen = true
    for (const watched of this.#all) {
      if (!watched.isOf(request.namespaceName)) continue
      const answer = watched.ask(request, this.#variables, this.#draws)
      const fires = answer.effect !== undefined && isOpen
      evaluated.push([watched, answer, fires])
      if (!fires) continue
      watched.fire(request)
      decision = addEffect(decision, watched, answer.effect!)
      isOpen = watched.rule.continue === true
    }
    const sets: NonNullable<Rule['set']>[] = [] // Not in a closure: the journal would retain the request.
    for (const [{ rule }, , fired] of evaluated)
      if (fired && rule.set) sets.push(...this.#variables.setPlain(request.namespaceName, rule.set))
    if (decision && this.#layers.next.length > maxSpentRules) this.#dropSpent(maxSpentRules)
    const reasons = (): RuleReason[] =>
      evaluated.map(([{ id }, { why }, fired]) => ({ rule: id, fired, why }))
    return { ...(decision ?? noDecision), reasons, sets }
  }

  #removeAll(isMeant: (watched: RuleState) => boolean): boolean {
    const gone = this.#all.filter(isMeant)
    if (gone.length === 0) return false
    for (const layer of layers)
      this.#layers[layer] = this.#layers[layer].filter((watched) => !isMeant(watched))
    this.#arrange()
    for (const watched of gone) {
      this.#changes.note('rule', ...watched.address)
      // A rule with the same id may be added later, and must start at zero.
      watched.noteAll()
    }
    return true
  }

  #put(layer: Layer, rule: Rule, namespace?: string): string {
    const id = (rule as Rule | undefined)?.id ?? this.#nameFor(layer, namespace)
    checkRule(id, rule, this.#operations)
    const isTaken = (watched: RuleState): boolean =>
      watched.id === id && (namespace === undefined || watched.isOf(namespace))
    const taken = this.#all.filter(isTaken)
    if (!taken.every((watched) => this.#isOver(watched))) throw idIsTaken(id)
    if (taken.length > 0) this.#removeAll((watched) => taken.includes(watched))
    if (this.#layers[layer].length >= maxRules && !(layer === 'next' && this.#dropSpent(0))) {
      throw new RuleError(`Failed to add rule "${id}": there are ${maxRules} already. Take one away first.`)
    }
    const watched = new RuleState(id, rule, this.#operations, this.#changes, namespace)
    this.#layers[layer].push(watched)
    this.#arrange()
    if (layer !== 'file') this.#changes.note('rule', ...watched.address)
    return id
  }

  /** Whether a rule is a spent `next` rule. It stays listed until another rule takes its id. */
  #isOver(watched: RuleState): boolean {
    return watched.isSpent && this.#layers.next.includes(watched)
  }

  /**
   * Removes the oldest spent `next` rules, because each slows down later requests.
   * @returns whether it removed any.
   */
  #dropSpent(most: number): boolean {
    const spent = this.#layers.next.filter(({ isSpent }) => isSpent)
    const gone = new Set(spent.slice(0, Math.max(0, spent.length - most)))
    return this.#removeAll((watched) => gone.has(watched))
  }

  /**
   * Names a rule of the file by its index, other rules by a counter. Names key random draws. So each namespace has its own
   * counter, and does not depend on rules that others add.
   */
  #nameFor(layer: Layer, namespace = ''): string {
    if (layer === 'file') return `rule-${this.#layers.file.length + 1}`
    const number = (this.#added.get(namespace) ?? 0) + 1
    this.#added.set(namespace, number)
    const name = `${layer}-${number}`
    const isTaken = this.#all.some((each) => each.id === name && (namespace === '' || each.isOf(namespace)))
    return isTaken ? this.#nameFor(layer, namespace) : name
  }

  #arrange(): void {
    this.#all = layers.flatMap((layer) => this.#layers[layer])
    this.#needsTaskBodies = this.#all.some(({ needsTaskBody }) => needsTaskBody)
  }
}
