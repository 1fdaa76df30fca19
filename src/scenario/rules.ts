import type { Draws } from '../engine/draws.ts'
import { checkRule, RuleError } from './checks.ts'
import { loadPatterns, patternsAreMissing } from './match/patterns.ts'
import { noDecision, type Rule, type RuleDecision, type RuleReason, type RuleSubject } from './rule.ts'
import { Variables } from './variables.ts'
import { WatchedRule, type Asked } from './watched-rule.ts'

export { RuleError } from './checks.ts'

/** How often a rule concerned a request, and how often it fired. */
export interface RuleCount {
  readonly id: string
  readonly eligible: number
  readonly fired: number
  readonly optional: boolean
}

/** How many rules there may be, of a file and of those added at run time; each is asked about every request. */
export const mostRules = 1_000

/** Where a rule stands: the strongest first. */
const layers = ['next', 'added', 'file'] as const
type Layer = (typeof layers)[number]

/**
 * The rules of a simulator, in order: those for one request, those added at run time, those of the file. Each counts
 * every request it concerns, whether or not another rule fired; the first that may fire decides.
 */
export class Rules {
  readonly #draws: Draws
  readonly #variables = new Variables()
  #layers: Record<Layer, WatchedRule[]> = { next: [], added: [], file: [] }
  #all: readonly WatchedRule[] = []
  /** How many rules without a name were added, by the namespace they are for; '' for those for all. */
  readonly #added = new Map<string, number>()

  /** @throws {RuleError} as {@link add} does. */
  constructor(draws: Draws, rules: readonly Rule[] = []) {
    this.#draws = draws
    for (const rule of rules) this.#put('file', rule)
  }

  /**
   * Adds a rule in front of the file's and behind those added before. Tasks that run keep their plans.
   * @param namespace the only one that it concerns; left out, all.
   * @returns its id.
   * @throws {RuleError} for an operation nobody knows, a time that can't be read, or an id that is taken.
   */
  add(rule: Rule, namespace?: string): string {
    return this.#put('added', rule, namespace)
  }

  /**
   * Adds a rule in front of all others that fires once, or so many times as it says.
   * @throws {RuleError} as {@link add} does.
   */
  next(rule: Rule, namespace?: string): string {
    return this.#put('next', { times: 1, ...rule }, namespace)
  }

  /**
   * Takes a rule away, wherever it stands.
   * @param namespace where given, only a rule for this namespace alone.
   * @returns whether there was one.
   */
  remove(id: string, namespace?: string): boolean {
    return this.#removeAll(
      (watched) => watched.id === id && (namespace === undefined || watched.namespace === namespace),
    )
  }

  /** Takes away the rules that were for a namespace alone. */
  removeOf(namespace: string): void {
    this.#removeAll((watched) => watched.namespace === namespace)
    this.#added.delete(namespace)
  }

  /**
   * Puts these in the place of the file's rules, or none of them. A rule that is as before, its id too, goes on with
   * its counts: what was to happen once doesn't happen again. Tasks that run keep their plans.
   * @throws {RuleError} as {@link add} does; then the old rules stay.
   */
  replace(rules: readonly Rule[]): void {
    const before = new Map(this.#layers.file.map((watched) => [watched.id, watched]))
    const fresh = new Rules(this.#draws, rules)
    this.#layers.file = fresh.#layers.file.map((watched) => {
      const old = before.get(watched.id)
      return old && JSON.stringify(old.rule) === JSON.stringify(watched.rule) ? old : watched
    })
    this.#arrange()
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** What must be awaited before the next request is decided; undefined when nothing is missing. */
  get loading(): Promise<void> | undefined {
    if (!patternsAreMissing() || !this.#all.some((watched) => watched.needsPatterns)) return undefined
    return loadPatterns()
  }

  /** @param namespace where given, what happened there; else everywhere. */
  counts(namespace?: string): RuleCount[] {
    return this.list(namespace).map(({ id, eligible, fired, rule }) => ({
      id,
      eligible,
      fired,
      optional: rule.optional ?? false,
    }))
  }

  /**
   * The rules as they stand, the strongest first.
   * @param namespace where given, those that concern it, as often as they did so there; else all, of everywhere.
   */
  list(namespace?: string): { layer: Layer; id: string; eligible: number; fired: number; rule: Rule }[] {
    return layers.flatMap((layer) =>
      this.#layers[layer]
        .filter((watched) => namespace === undefined || watched.isOf(namespace))
        .map((watched) => {
          const { id, rule } = watched
          const { eligible, fired } = namespace === undefined ? watched : watched.countIn(namespace)
          return { layer, id, eligible, fired, rule }
        }),
    )
  }

  /** Counts anew in a namespace, as if nothing had been asked there. */
  forget(namespace: string): void {
    for (const watched of this.#all) watched.forget(namespace)
    this.#variables.forget(namespace)
  }

  /** Asked once for each request that passed the gate. */
  decide(request: RuleSubject): RuleDecision {
    const asked: [WatchedRule, Asked, boolean][] = []
    let decision: RuleDecision | undefined
    let isOpen = true
    for (const watched of this.#all) {
      if (!watched.isOf(request.namespace)) continue
      const answer = watched.ask(request, this.#variables, this.#draws)
      const fires = answer.effect !== undefined && isOpen
      asked.push([watched, answer, fires])
      if (!fires) continue
      watched.fire(request)
      decision = combined(decision, watched, answer)
      isOpen = watched.rule.continue === true
    }
    for (const [{ rule }, , fired] of asked)
      if (fired && rule.set) this.#variables.set(request.namespace, rule.set)
    const reasons = (): RuleReason[] => asked.map(([{ id }, { why }, fired]) => ({ rule: id, fired, why }))
    return { ...(decision ?? noDecision), reasons }
  }

  #removeAll(isMeant: (watched: WatchedRule) => boolean): boolean {
    if (!this.#all.some(isMeant)) return false
    for (const layer of layers)
      this.#layers[layer] = this.#layers[layer].filter((watched) => !isMeant(watched))
    this.#arrange()
    return true
  }

  #put(layer: Layer, rule: Rule, namespace?: string): string {
    const id = rule.id ?? this.#nameFor(layer, namespace)
    checkRule(id, rule)
    const isTaken = (watched: WatchedRule): boolean =>
      watched.id === id && (namespace === undefined || watched.isOf(namespace))
    if (this.#all.some(isTaken)) {
      throw new RuleError(
        `Failed to add rule "${id}": there is one of this id. Ids key the dice; give it another.`,
      )
    }
    if (this.#layers[layer].length >= mostRules && !this.#dropSpent(layer)) {
      throw new RuleError(`Failed to add rule "${id}": there are ${mostRules} already. Take one away first.`)
    }
    this.#layers[layer].push(new WatchedRule(id, rule, namespace))
    this.#arrange()
    return id
  }

  /** A rule for the next request that has had its request makes room. @returns whether there was one. */
  #dropSpent(layer: Layer): boolean {
    const spent = layer === 'next' ? this.#layers.next.find(({ fired }) => fired > 0) : undefined
    if (spent) this.#layers.next = this.#layers.next.filter((watched) => watched !== spent)
    return spent !== undefined
  }

  /**
   * A rule of the file is called by its place there, others by their number. Names key the dice, so those of one
   * namespace don't depend on what others add.
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
  }
}

/** What is decided already, with what a rule behind it adds. */
function combined(
  before: RuleDecision | undefined,
  { id, rule }: WatchedRule,
  { effect }: Asked,
): RuleDecision {
  const { delayMs, respond, fault } = effect!
  const { task, stream, media } = rule
  return {
    ...noDecision,
    ...(stream && { stream }),
    ...(media && { media }),
    ...(respond && { respond }),
    ...(fault && { fault }),
    ...before,
    rules: [...(before?.rules ?? []), id],
    delayMs: before?.delayMs ? before.delayMs : delayMs,
    task: { ...task, ...before?.task },
  }
}
