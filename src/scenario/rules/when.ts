import { parseWindow, type Window } from '../schema/window.ts'
import type { Rule } from '../vocabulary/types.ts'
import type { Matchable } from './rule.ts'
import { fitsVariable, type Variables } from './variables.ts'

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
