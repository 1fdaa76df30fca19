import type { Attachment, StoredValues } from '../../apis/define/api.ts'
import { StateError } from '../../control/state.ts'
import type { Core, FirstReply } from '../../gateway/core.ts'
import type { Counters } from '../../engine/bounded-map.ts'
import { headerProblem } from '../../scenario/schema/header-problem.ts'
import { firstMistake } from '../../scenario/schema/mistakes.ts'
import type { Rule } from '../../scenario/vocabulary/types.ts'
import type { RulePast } from '../../scenario/rules/rules.ts'
import type { Reservation } from '../../gateway/accounts/account.ts'
import {
  amount,
  count,
  fields,
  flag,
  items,
  nullable,
  objectOf,
  oneOf,
  optional,
  text,
  type ValueCheck,
  definePart,
  inNamespace,
  type Names,
  type StatePart,
  type StateParts,
} from './parts.ts'

/** The counts that random draws and rules depend on: of requests, and those of rules and throttles. */
export function countParts({
  namespaces,
  rules,
  throttles,
}: Pick<Core, 'namespaces' | 'rules' | 'throttles'>): StateParts {
  const identities = (name: 'attempts' | 'acceptances'): StatePart => {
    const counters = (namespace: string): Counters | undefined =>
      namespaces.has(namespace) ? namespaces.get(namespace)[name] : undefined
    return definePart<number>({
      nameCounts: [2],
      *list(namespace) {
        for (const each of namespaces.all()) {
          if (namespace !== undefined && each.name !== namespace) continue
          for (const identity of each[name].subjects()) yield [each.name, identity]
        }
      },
      read: (namespace, identity) => counters(namespace!)?.count(identity!) || undefined,
      check: count,
      write: (times, namespace, identity) => namespaces.get(namespace!)[name].restore(identity!, times),
    })
  }
  function* subjects(): Generator<Names> {
    for (const rule of rules.watched) {
      for (const [namespace, scope] of rule.subjects()) yield [namespace, rule.id, scope]
    }
  }
  function* levels(): Generator<Names> {
    for (const limit of throttles.watched) {
      for (const [namespace, name] of limit.levels()) yield [namespace, limit.id, name]
    }
  }
  const throttleOf = (id: string | undefined) => throttles.watched.find((each) => each.id === id)
  return {
    attempt: identities('attempts'),
    acceptance: identities('acceptances'),
    rule: definePart<RulePast>({
      nameCounts: [1, 2],
      isShared: true,
      list: () => rules.watched.map(({ address }) => address),
      read: (id, namespace) => rules.past(id!, namespace),
      check: checkRule,
      write: (past, id, namespace) => rules.restore(past, id!, namespace),
    }),
    count: definePart<readonly [number, number]>({
      nameCounts: [3],
      list: (namespace) => inNamespace(subjects(), namespace),
      read: (namespace, id, scope) => rules.find(id!, namespace!)?.count(namespace!, scope!),
      check: checkPair,
      write: ([seen, fired], namespace, id, scope) =>
        rules.restoreCount(namespace!, id!, scope!, [seen, fired]),
    }),
    variable: definePart<string | number | boolean>({
      nameCounts: [2],
      list: (namespace) => inNamespace(rules.variables.all(), namespace),
      read: (namespace, name) => rules.variables.get(namespace!, name!),
      check: (value, path) => {
        if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
        throw new StateError(`${path} must be a text, a number, or true or false`)
      },
      write: (value, namespace, name) => rules.variables.set(namespace!, { [name!]: value }),
    }),
    limit: definePart<readonly [number, number]>({
      nameCounts: [1],
      isShared: true,
      list: () => throttles.watched.map(({ id }) => [id]),
      read: (id) => {
        const counts = throttleOf(id)?.countIn(undefined)
        return counts && [counts.eligible, counts.fired]
      },
      check: checkPair,
      write: ([eligible, fired], id) => throttleOf(id)?.restoreCount(eligible, fired),
    }),
    level: definePart<{ readonly tokens: number; readonly at: number }>({
      nameCounts: [3],
      list: (namespace) => inNamespace(levels(), namespace),
      read: (namespace, id, name) => {
        const level = throttleOf(id)?.level(namespace!, name!)
        return level && { ...level }
      },
      check: objectOf({ tokens: fromMinusOne, at: amount }),
      write: (level, namespace, id, name) => {
        // A throttle that has neither bucket nor rate in the present config has no levels.
        const throttle = throttleOf(id)
        if (throttle?.throttle.bucket || throttle?.throttle.rate)
          throttle.restoreLevel(namespace!, name!, level)
      },
    }),
  }
}

/** A rounding error can leave a bucket one token short. */
function fromMinusOne(value: unknown, path: string): number {
  if (typeof value === 'number' && value >= -1) return value
  throw new StateError(`${path} must be a number from -1`)
}

const checkPair: ValueCheck<readonly [number, number]> = (value, path) => {
  const [one, other] = items(value, path)
  return [count(one, path), count(other, path)]
}

const checkPast = objectOf({
  layer: oneOf('next', 'added', 'file'),
  eligible: count,
  fired: count,
  print: text,
  rule: optional(fields),
})

function checkRule(value: unknown, path: string): RulePast {
  const { rule, ...past } = checkPast(value, path)
  return { ...past, ...(rule !== undefined && { rule: rule as unknown as Rule }) }
}

const checkSpent = objectOf({
  label: text,
  spent: amount,
  tasks: count,
  seconds: amount,
  tokens: objectOf({ input: amount, output: amount }),
})
const checkReservation = objectOf({ quota: amount, endsAt: nullable(amount), spends: flag })

/** A response to a submission, which a repetition with the same idempotency key gets. Texts from outside become headers. */
const checkFirst = objectOf({
  identity: text,
  task: text,
  status: count,
  headers: headerTexts,
  body: text,
})

function headerTexts(value: unknown, path: string): Readonly<Record<string, string>> {
  const found = fields(value, path)
  for (const [name, each] of Object.entries(found)) {
    const problem = headerProblem(name, text(each, `${path}.${name}`))
    if (problem !== undefined) throw new StateError(`${path}.${name} ${problem}`)
  }
  return found as Readonly<Record<string, string>>
}

/** The first responses to submissions with idempotency keys. */
export function firstReplyParts({ namespaces }: Pick<Core, 'namespaces'>): StateParts {
  return {
    first: definePart<FirstReply>({
      nameCounts: [2],
      *list(namespace) {
        for (const { name, firstReplies } of namespaces.all()) {
          if (namespace !== undefined && name !== namespace) continue
          for (const key of firstReplies.keys()) yield [name, key]
        }
      },
      read: (namespace, key) =>
        namespaces.has(namespace!) ? namespaces.get(namespace!).firstReplies.get(key!) : undefined,
      check: checkFirst,
      write: (reply, namespace, key) => void namespaces.get(namespace!).firstReplies.set(key!, reply),
    }),
  }
}

/** The usage of each key, the reservations for its tasks, and what APIs store. */
export function accountParts(
  { billing }: Pick<Core, 'billing'>,
  attachments: readonly Attachment[],
): StateParts {
  function* reserved(): Generator<Names> {
    for (const [namespace, key] of billing.all()) {
      for (const task of billing.known(namespace, key)!.reservedTasks()) yield [namespace, key, task]
    }
  }
  return {
    account: definePart({
      nameCounts: [2],
      list: (namespace) => inNamespace(billing.all(), namespace),
      read: (namespace, key) => billing.known(namespace!, key!)?.past,
      check: checkSpent,
      write: (spent, namespace, key) => billing.restore(namespace!, key!, spent),
    }),
    reserved: definePart<Reservation>({
      nameCounts: [3],
      list: (namespace) => inNamespace(reserved(), namespace),
      read: (namespace, key, task) => billing.known(namespace!, key!)?.reservation(task!),
      check: checkReservation,
      write: (reservation, namespace, key, task) => {
        const account = billing.known(namespace!, key!)
        account?.release(task!)
        account?.reserve(task!, reservation)
      },
    }),
    ...Object.fromEntries(attachments.flatMap(({ stored = {} }) => Object.entries(stored).map(toPart))),
  }
}

function toPart([name, { list, read, schema, write }]: [string, StoredValues]): [string, StatePart] {
  return [
    name,
    definePart<never>({
      nameCounts: [2],
      list: (namespace) => inNamespace(list(), namespace),
      read: (namespace, id) => read(namespace!, id!),
      check: (value, path) => {
        const mistake = firstMistake(schema, value)
        if (mistake !== undefined) throw new StateError(`${path}: ${mistake}`)
        return value as never
      },
      write: (value, namespace, id) => write(namespace!, id!, value),
    }),
  ]
}
