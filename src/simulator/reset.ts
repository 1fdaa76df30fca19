import type { Namespaces } from '../engine/namespace.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { State } from './state/state.ts'

/**
 * Puts a namespace back to its beginning, or the whole simulator: no tasks, no exchanges, no rules that were added, and a
 * new clock. Sleeping clients wake; a response that is still due closes its connection.
 * @param namespace all of them, if left out.
 */
export function resetSimulator(
  parts: {
    readonly namespaces: Namespaces<GatewayNamespace>
    readonly rules: Rules
    readonly throttles: Throttles
    readonly state: State
  },
  namespace?: string,
): void {
  const { namespaces, rules, throttles, state } = parts
  for (const name of namespace === undefined ? namespaces.all().map((each) => each.name) : [namespace]) {
    rules.removeOf(name)
    namespaces.remove(name)
  }
  if (namespace !== undefined) return
  namespaces.get('default')
  rules.reset()
  throttles.reset()
  state.everythingChanged()
}
