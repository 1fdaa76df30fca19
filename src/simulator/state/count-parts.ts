import * as z from 'zod/mini'
import type { Attachment, StoredValues } from '../../apis/define/api.ts'
import type { Core } from '../../gateway/core.ts'
import type { Counters } from '../../engine/bounded-map.ts'
import { isObject } from '../../engine/is-object.ts'
import { headerProblem } from '../../scenario/schema/values.ts'
import { refusing } from '../../scenario/schema/fields.ts'
import type { Rule } from '../../scenario/vocabulary/types.ts'
import {
  amount,
  count,
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
    return definePart({
      names: ['namespace', 'identity'],
      *list(namespace) {
        for (const each of namespaces.all()) {
          if (namespace !== undefined && each.name !== namespace) continue
          for (const identity of each[name].subjects()) yield [each.name, identity]
        }
      },
      read: (namespace, identity) => counters(namespace)?.count(identity) || undefined,
      schema: count,
      write: (times, namespace, identity) => namespaces.get(namespace)[name].restore(identity, times),
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
    rule: definePart({
      names: ['rule', 'namespace?'],
      list: () => rules.watched.map(({ address }) => address),
      read: (id, namespace) => rules.past(id, namespace),
      schema: pastSchema,
      write: (past, id, namespace) => rules.restore(past, id, namespace),
    }),
    count: definePart({
      names: ['namespace', 'rule', 'scope'],
      list: (namespace) => inNamespace(subjects(), namespace),
      read: (namespace, id, scope) => rules.find(id, namespace)?.count(namespace, scope),
      schema: pairSchema,
      write: ([seen, fired], namespace, id, scope) => rules.restoreCount(namespace, id, scope, [seen, fired]),
    }),
    variable: definePart({
      names: ['namespace', 'variable'],
      list: (namespace) => inNamespace(rules.variables.all(), namespace),
      read: (namespace, name) => rules.variables.get(namespace, name),
      schema: z.union([z.string(), z.number(), z.boolean()]),
      write: (value, namespace, name) => rules.variables.set(namespace, { [name]: value }),
    }),
    limit: definePart({
      names: ['throttle'],
      list: () => throttles.watched.map(({ id }) => [id]),
      read: (id) => {
        const counts = throttleOf(id)?.countIn(undefined)
        return counts && [counts.eligible, counts.fired]
      },
      schema: pairSchema,
      write: ([eligible, fired], id) => throttleOf(id)?.restoreCount(eligible, fired),
    }),
    level: definePart({
      names: ['namespace', 'throttle', 'level'],
      list: (namespace) => inNamespace(levels(), namespace),
      read: (namespace, id, name) => {
        const level = throttleOf(id)?.level(namespace, name)
        return level && { ...level }
      },
      schema: levelSchema,
      write: (level, namespace, id, name) => {
        // A throttle that has neither bucket nor rate in the present config has no levels.
        const throttle = throttleOf(id)
        if (throttle?.throttle.bucket || throttle?.throttle.rate)
          throttle.restoreLevel(namespace, name, level)
      },
    }),
  }
}

/** A rounding error can leave a bucket one token short. */
const levelSchema = z.object({ tokens: z.number().check(z.gte(-1)), at: amount })

const pairSchema = z.tuple([count, count])

const pastSchema = z.object({
  layer: z.enum(['next', 'added', 'file']),
  eligible: count,
  fired: count,
  print: z.string(),
  rule: z.exactOptional(z.custom<Rule>(isObject, 'must be a mapping')),
})

const spentSchema = z.object({
  label: z.string(),
  spent: amount,
  tasks: count,
  seconds: amount,
  tokens: z.object({ input: amount, output: amount }),
})
const reservationSchema = z.object({ quota: amount, endsAt: z.nullable(amount), spends: z.boolean() })

/** A response to a submission, which a repetition with the same idempotency key gets. Texts from outside become headers. */
const firstSchema = z.object({
  identity: z.string(),
  task: z.string(),
  status: count,
  headers: z.record(z.string(), z.string()).check(
    refusing((headers) => {
      for (const [name, value] of Object.entries(headers)) {
        const problem = headerProblem(name, value)
        if (problem !== undefined) return `${name} ${problem}`
      }
      return undefined
    }),
  ),
  body: z.string(),
})

/** The first responses to submissions with idempotency keys. */
export function firstReplyParts({ namespaces }: Pick<Core, 'namespaces'>): StateParts {
  return {
    first: definePart({
      names: ['namespace', 'key'],
      *list(namespace) {
        for (const { name, firstReplies } of namespaces.all()) {
          if (namespace !== undefined && name !== namespace) continue
          for (const key of firstReplies.keys()) yield [name, key]
        }
      },
      read: (namespace, key) =>
        namespaces.has(namespace) ? namespaces.get(namespace).firstReplies.get(key) : undefined,
      schema: firstSchema,
      write: (reply, namespace, key) => void namespaces.get(namespace).firstReplies.set(key, reply),
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
      names: ['namespace', 'key'],
      list: (namespace) => inNamespace(billing.all(), namespace),
      read: (namespace, key) => billing.known(namespace, key)?.past,
      schema: spentSchema,
      write: (spent, namespace, key) => billing.restore(namespace, key, spent),
    }),
    reserved: definePart({
      names: ['namespace', 'key', 'task'],
      list: (namespace) => inNamespace(reserved(), namespace),
      read: (namespace, key, task) => billing.known(namespace, key)?.reservation(task),
      schema: reservationSchema,
      write: (reservation, namespace, key, task) => {
        const account = billing.known(namespace, key)
        account?.release(task)
        account?.reserve(task, reservation)
      },
    }),
    ...Object.fromEntries(attachments.flatMap(({ stored = {} }) => Object.entries(stored).map(toPart))),
  }
}

function toPart([name, { list, read, schema, write }]: [string, StoredValues]): [string, StatePart] {
  return [
    name,
    definePart({
      names: ['namespace', 'id'],
      list: (namespace) => inNamespace(list(), namespace),
      read: (namespace, id) => read(namespace, id),
      schema: schema as z.ZodMiniType<never>,
      write: (value, namespace, id) => write(namespace, id, value),
    }),
  ]
}
