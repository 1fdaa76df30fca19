import { operationFacts, operations, type Operation } from '../../../engine/operations/operations.ts'
import { findFault, type FaultType } from '../../faults/index.ts'
import type { Finding } from '../finding.ts'
import { operationsOf, ruleName } from './lint-rules.ts'
import type { FileScenario } from '../types.ts'

type Rule = NonNullable<FileScenario['rules']>[number]

/** Faults that have no effect, or not their exact one, where the scenario is to run; and requirements without a need. */
export function lintFaults(
  { rules = [], requires = [] }: FileScenario,
  door: 'socket' | 'embedded',
): Finding[] {
  return [...lintOperations(rules), ...lintSockets(rules, requires, door)]
}

/** Faults that can't break the responses of any operation that their rule matches. */
function lintOperations(rules: readonly Rule[]): Finding[] {
  return rules.flatMap((rule, index) => {
    const matched = operationsOf(rule.match)
    return faultsOf(rule, index).flatMap(({ type, place, name }): Finding[] => {
      const { hits } = findFault(type)
      const canHit = (operation: Operation): boolean =>
        hits === 'any' || hits.includes(operationFacts[operation].kind)
      if (matched.some(canHit)) return []
      const message = `${name}: the fault ${type} has no effect on ${matched.join(', ')}. Match ${operations.filter(canHit).join(', ')}.`
      return [{ severity: 'mistake', place, message }]
    })
  })
}

function lintSockets(
  rules: readonly Rule[],
  requires: readonly string[],
  door: 'socket' | 'embedded',
): Finding[] {
  const found = rules.flatMap((rule, index) =>
    faultsOf(rule, index).filter(({ type }) => findFault(type).needsSocket),
  )
  const isRequired = requires.includes('wire')
  if (door === 'socket') {
    if (!isRequired || found.length > 0) return []
    const message =
      'requires wire, but no fault here needs a socket. Leave it out, and the scenario runs embedded too.'
    return [{ severity: 'advice', place: ['requires'], message }]
  }
  return found.map(({ type, place, name }): Finding => {
    const message = isRequired
      ? `${name}: the fault ${type} is only approximated without a socket, and the scenario requires wire. Run it by greenroom run or startServer.`
      : `${name}: the fault ${type} is only approximated without a socket. Add requires: [wire] if it must be exact.`
    return { severity: isRequired ? 'mistake' : 'advice', place, message }
  })
}

function faultsOf(rule: Rule, index: number): { type: FaultType; place: PropertyKey[]; name: string }[] {
  const name = ruleName(rule, index)
  const own = [{ fault: rule.fault, place: ['rules', index, 'fault'] }]
  const attempts = (rule.attempts ?? []).map((attempt, nth) => ({
    fault: typeof attempt === 'object' ? attempt.fault : attempt,
    place: ['rules', index, 'attempts', nth],
  }))
  return [...own, ...attempts].flatMap(({ fault, place }) => {
    if (fault === undefined || fault === 'ok' || typeof fault === 'number') return []
    return [{ type: typeof fault === 'string' ? fault : fault.type, place, name }]
  })
}
