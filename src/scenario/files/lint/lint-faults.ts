import { pollsAndDownloads, textOperations } from '../../../engine/operations/operations.ts'
import type { FaultType } from '../../faults/fault.ts'
import type { Finding } from '../finding.ts'
import { operationsOf, ruleName } from './lint-rules.ts'
import type { FileScenario } from '../types.ts'

/** Faults that need a socket to be what they are; without one a client sees the nearest thing. */
const needSocket: ReadonlySet<FaultType> = new Set([
  'reset',
  'close',
  'half-headers',
  'garbage',
  'malformed-chunk',
  'truncate',
])

/** Faults that befall only some answers, and leave others as they are. */
const befalls: Readonly<Partial<Record<FaultType, readonly string[]>>> = {
  stale: pollsAndDownloads,
  'duplicate-events': textOperations,
  'split-character': textOperations,
}

type Rule = NonNullable<FileScenario['rules']>[number]

/** Faults that are not what they say where the scenario is to run, and demands that nothing needs. */
export function lintFaults(
  { rules = [], requires = [] }: FileScenario,
  door: 'socket' | 'embedded',
): Finding[] {
  return [...outOfPlace(rules), ...ofSockets(rules, requires, door)]
}

/** Faults of requests whose answers they leave as they are. */
function outOfPlace(rules: readonly Rule[]): Finding[] {
  return rules.flatMap((rule, index) => {
    const concerned = operationsOf(rule.match)
    return faultsOf(rule, index).flatMap(({ type, place, name }): Finding[] => {
      const able = befalls[type]
      if (!able || concerned.some((operation) => able.includes(operation))) return []
      const message =
        `${name}: the fault ${type} leaves answers to ${concerned.join(', ')} as they are. ` +
        `Match ${able.join(', ')}.`
      return [{ severity: 'mistake', place, message }]
    })
  })
}

function ofSockets(
  rules: readonly Rule[],
  requires: readonly string[],
  door: 'socket' | 'embedded',
): Finding[] {
  const wired = rules.flatMap((rule, index) =>
    faultsOf(rule, index).filter(({ type }) => needSocket.has(type)),
  )
  const isRequired = requires.includes('wire')
  if (door === 'socket') {
    if (!isRequired || wired.length > 0) return []
    const message =
      'requires wire, but no fault here needs a socket. Leave it out, and the scenario runs embedded too.'
    return [{ severity: 'advice', place: ['requires'], message }]
  }
  return wired.map(({ type, place, name }): Finding => {
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
