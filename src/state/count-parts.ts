import type { Counters } from '../engine/counters.ts'
import type { Rule } from '../scenario/rules/rule.ts'
import type { RulePast } from '../scenario/rules/rules.ts'
import { definePart, inNamespace, type Names, type Part, type StateParts } from './parts.ts'
import { countOf, fieldsOf, listOf, maybe, numberOf, textOf } from './shape.ts'
import { StateError } from './state-error.ts'

/** What steers chance and rules: how often was asked what, and what the script counts. */
export function countParts(parts: StateParts): Readonly<Record<string, Part>> {
  const { namespaces, rules, throttles } = parts
  const identities = (name: 'attempts' | 'acceptances'): Part => {
    const counters = (namespace: string): Counters => namespaces.get(namespace)[name]
    return definePart<number>({
      *all(namespace) {
        for (const each of namespaces.all()) {
          if (namespace !== undefined && each.name !== namespace) continue
          for (const identity of each[name].subjects()) yield [each.name, identity]
        }
      },
      read: (namespace, identity) =>
        (namespaces.has(namespace!) && counters(namespace!).count(identity!)) || undefined,
      check: countOf,
      write: (count, namespace, identity) => counters(namespace!).restore(identity!, count),
      remove: (namespace, identity) => {
        if (namespaces.has(namespace!)) counters(namespace!).restore(identity!, undefined)
      },
    })
  }
  function* counted(): Generator<Names> {
    for (const rule of rules.watched) {
      for (const [namespace, scope] of rule.subjects()) yield [namespace, rule.id, scope]
    }
  }
  function* levels(): Generator<Names> {
    for (const limit of throttles.watched) {
      for (const [namespace, name] of limit.levels()) yield [namespace, limit.id, name]
    }
  }
  const limitOf = (id: string | undefined) => throttles.watched.find((limit) => limit.id === id)
  return {
    attempt: identities('attempts'),
    acceptance: identities('acceptances'),
    rule: definePart<RulePast>({
      isShared: true,
      all: () => rules.watched.map(({ address }) => address),
      read: (id, namespace) => rules.past(id!, namespace),
      check: checkRule,
      write: (past, id, namespace) => rules.restore(past, id!, namespace),
      remove: (id, namespace) => void rules.remove(id!, namespace),
    }),
    count: definePart<[number, number]>({
      all: (namespace) => inNamespace(counted(), namespace),
      read: (namespace, id, scope) => rules.find(id!, namespace!)?.count(namespace!, scope!),
      check: checkPair,
      write: (pair, namespace, id, scope) => rules.restoreCount(namespace!, id!, scope!, pair),
      remove: (namespace, id, scope) => rules.restoreCount(namespace!, id!, scope!, [0, 0]),
    }),
    variable: definePart<string | number | boolean>({
      all: (namespace) => inNamespace(rules.variables.all(), namespace),
      read: (namespace, name) => rules.variables.get(namespace!, name!),
      check: (value, where) => {
        if (['string', 'number', 'boolean'].includes(typeof value)) return value as string
        throw new StateError(`${where} must be a text, a number, or true or false`)
      },
      write: (value, namespace, name) => rules.variables.set(namespace!, { [name!]: value }),
      remove: (namespace, name) => rules.variables.set(namespace!, { [name!]: null }),
    }),
    limit: definePart<[number, number]>({
      isShared: true,
      all: () => throttles.watched.map(({ id }) => [id]),
      read: (id) => {
        const count = limitOf(id)?.countIn(undefined)
        return count && [count.eligible, count.fired]
      },
      check: checkPair,
      write: ([eligible, fired], id) => limitOf(id)?.restoreCount(eligible, fired),
    }),
    level: definePart<{ tokens: number; at: number }>({
      all: (namespace) => inNamespace(levels(), namespace),
      read: (namespace, id, name) => {
        const level = limitOf(id)?.level(namespace!, name!)
        return level && { ...level }
      },
      check: (value, where) => {
        const { tokens, at } = fieldsOf(value, where)
        return { tokens: numberOf(tokens, `${where}.tokens`, -1), at: numberOf(at, `${where}.at`) }
      },
      write: (level, namespace, id, name) => {
        // A limit that has no bucket by now has no levels either.
        const limit = limitOf(id)
        if (limit?.throttle.bucket) limit.restoreLevel(namespace!, name!, level)
      },
    }),
  }
}

function checkPair(value: unknown, where: string): [number, number] {
  const [one, other] = listOf(value, where)
  return [countOf(one, where), countOf(other, where)]
}

function checkRule(value: unknown, where: string): RulePast {
  const { layer, eligible, fired, print, rule } = fieldsOf(value, where)
  if (layer !== 'next' && layer !== 'added' && layer !== 'file') {
    throw new StateError(`${where}.layer must be next, added or file`)
  }
  return {
    layer,
    eligible: countOf(eligible, `${where}.eligible`),
    fired: countOf(fired, `${where}.fired`),
    print: textOf(print, `${where}.print`),
    ...(rule !== undefined && { rule: maybe(rule, `${where}.rule`, fieldsOf) as unknown as Rule }),
  }
}
