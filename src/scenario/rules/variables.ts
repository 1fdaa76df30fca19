import type { Changes } from '../../engine/tasks/changes.ts'
import { hasTemplates } from '../schema/templates.ts'
import type { Rule, Scalar } from '../vocabulary/types.ts'
import { parseWindow, type Window } from '../schema/window.ts'
import type { Matchable } from './rule.ts'

/** The maximum number of variables in a namespace. */
export const maxVariables = 1_000

/** Variables that rules set and read, by namespace. */
export class Variables {
  readonly #byNamespace = new Map<string, Map<string, Scalar>>()
  readonly #changes: Changes

  /** @param changes records every variable that is set. */
  constructor(changes: Changes) {
    this.#changes = changes
  }

  get(namespace: string, name: string): Scalar | undefined {
    return this.#byNamespace.get(namespace)?.get(name)
  }

  /**
   * Sets the variables whose values have no templates. @returns the others, which are set when their values are known, in a
   * list of at most one.
   */
  setPlain(namespace: string, values: NonNullable<Rule['set']>): NonNullable<Rule['set']>[] {
    const entries = Object.entries(values)
    const open = entries.filter(([, value]) => typeof value === 'string' && hasTemplates(value))
    this.set(namespace, Object.fromEntries(entries.filter((entry) => !open.includes(entry))))
    return open.length === 0 ? [] : [Object.fromEntries(open)]
  }

  /** Sets variables, or adds to their numbers. Null removes a variable. */
  set(namespace: string, values: NonNullable<Rule['set']>): void {
    let known = this.#byNamespace.get(namespace)
    if (!known) this.#byNamespace.set(namespace, (known = new Map()))
    for (const [name, change] of Object.entries(values)) {
      const value = typeof change === 'object' && change ? sum(known.get(name), change.add) : change
      this.#changes.note('variable', namespace, name)
      if (value === null) known.delete(name)
      else if (known.has(name) || known.size < maxVariables) known.set(name, value)
    }
  }

  /** The namespaces and names of all variables. */
  *all(): Generator<[namespace: string, name: string]> {
    for (const [namespace, known] of this.#byNamespace)
      for (const name of known.keys()) yield [namespace, name]
  }

  forget(namespace: string): void {
    this.#byNamespace.delete(namespace)
  }
}

/** Adds to a value. Anything but a number counts as 0. */
function sum(value: Scalar | undefined, add: number): number {
  const bound = Number.MAX_SAFE_INTEGER
  return Math.max(-bound, Math.min(bound, (typeof value === 'number' ? value : 0) + add))
}

/** Whether a variable has a value, or lies within a range. */
export function fitsVariable(
  wanted: Scalar | null | { readonly min?: number; readonly max?: number },
  value: Scalar | undefined,
): boolean {
  if (typeof wanted !== 'object' || wanted === null) return (value ?? null) === wanted
  const { min = -Infinity, max = Infinity } = wanted
  const number = value ?? 0
  return typeof number === 'number' && number >= min && number <= max
}

/** When a rule or throttle applies: in a period of virtual time, and while variables have certain values. */
export class When {
  readonly #window: Window | undefined
  readonly #vars: readonly [name: string, wanted: Parameters<typeof fitsVariable>[0]][]

  constructor({ clock, vars = {} }: NonNullable<Rule['when']> = {}) {
    this.#window = clock === undefined ? undefined : parseWindow(clock)
    this.#vars = Object.entries(vars)
  }

  /** The end of its period, from the start of the namespace; Infinity without a period. */
  get untilMs(): number {
    return this.#window?.untilMs ?? Infinity
  }

  /** Why the rule or throttle doesn't apply to a request; undefined if it does. */
  mismatch({ elapsedMs, namespaceName }: Matchable, variables: Variables): string | undefined {
    if (this.#window) {
      if (elapsedMs < this.#window.fromMs) return 'its time has not come yet'
      if (elapsedMs >= this.#window.untilMs) return 'its time is over'
    }
    const other = this.#vars.find(
      ([name, wanted]) => !fitsVariable(wanted, variables.get(namespaceName, name)),
    )
    return other && `the variable ${other[0]} is another`
  }
}
