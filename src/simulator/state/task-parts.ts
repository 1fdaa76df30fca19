import { StateError } from '../../control/state.ts'
import type { Core } from '../../gateway/core.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { namespaceName } from '../../engine/namespace.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Amendment, TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task, TaskStore } from '../../engine/tasks/tasks.ts'
import {
  amount,
  count,
  fields,
  items,
  listOf,
  nullable,
  objectOf,
  optional,
  text,
  type ValueCheck,
  definePart,
  type Names,
  type StateParts,
} from './parts.ts'

/** The tasks, their numbering, their amendments and their numbers of polls. */
export function taskParts({ namespaces, tasks }: Pick<Core, 'namespaces' | 'tasks'>): StateParts {
  function* namesOf(namespace: string | undefined, isMeant: (task: Task) => boolean): Generator<Names> {
    const list = namespace === undefined ? tasks.all() : tasks.list(namespace)
    for (const task of list) if (isMeant(task)) yield [task.record.namespace, task.id]
  }
  return {
    task: definePart<{ readonly record: TaskRecord; readonly key?: string | undefined }>({
      nameCounts: [2],
      list: (namespace) => namesOf(namespace, () => true),
      read: (_, id) => {
        const task = tasks.find(id!)
        return (
          task && {
            // Read on access: a list of a hundred thousand tasks need not hold every record at once.
            get record() {
              return task.record
            },
            ...(task.key !== undefined && { key: hashApiKey(task.key) }),
          }
        )
      },
      check: (value, path, [namespace, id]) => {
        const { record, key } = fields(value, path)
        const checked = checkRecord(record, `${path}.record`, tasks)
        if (checked.id !== id) throw new StateError(`${path}.record.id must be "${id}"`)
        if (checked.namespace !== namespace)
          throw new StateError(`${path}.record.namespace must be "${namespace}"`)
        return { record: checked, key: optional(text)(key, `${path}.key`) }
      },
      write: ({ record, key }, _, id) => {
        tasks.apply({ type: 'task.submitted', at: record.submittedAt, task: record })
        if (key !== undefined) tasks.find(id!)!.key = key
      },
    }),
    submitted: definePart<number>({
      nameCounts: [2],
      *list(namespace) {
        for (const { name } of namespaces.all()) {
          if (namespace !== undefined && name !== namespace) continue
          // A restore counts the remaining tasks in another order.
          for (const lifecycle of [...tasks.submitted(name).keys()].toSorted()) yield [name, lifecycle]
        }
      },
      read: (namespace, lifecycle) => tasks.submitted(namespace!).get(lifecycle!),
      check: count,
      write: (submitted, namespace, lifecycle) => tasks.restoreSubmitted(namespace!, lifecycle!, submitted),
    }),
    amended: definePart<readonly Amendment[]>({
      nameCounts: [2],
      list: (namespace) => namesOf(namespace, ({ amendments }) => amendments.length > 0),
      read: (_, id) => tasks.find(id!)?.amendments,
      check: (value, path, [, id]) => checkAmendments(value, path, tasks.find(id!)?.lifecycle),
      write: (amendments, _, id) => {
        const task = tasks.find(id!)
        if (task) tasks.restore(task, amendments)
      },
    }),
    look: definePart<readonly [lastLook: number, pollCount: number, requests: number]>({
      nameCounts: [2],
      list: (namespace) => namesOf(namespace, ({ requests, pollCount }) => requests + pollCount > 0),
      read: (_, id) => {
        const task = tasks.find(id!)
        return task && [task.lastLook, task.pollCount, task.requests]
      },
      check: (value, path) => {
        const [lastLook, pollCount, requests] = items(value, path)
        return [amount(lastLook, path), count(pollCount, path), count(requests, path)]
      },
      write: ([lastLook, pollCount, requests], _, id) => {
        const task = tasks.find(id!)
        if (task) Object.assign(task, { lastLook, pollCount, requests })
      },
    }),
  }
}

const checkHead = objectOf({
  id: text,
  operation: text,
  identity: text,
  row: count,
  occurrence: count,
  submittedAt: count,
  request: fields,
  nth: optional(count),
  aliases: optional(listOf(text)),
  body: optional(fields),
})

/** @throws {StateError} also for states that are not in the lifecycle of the task. */
function checkRecord(value: unknown, path: string, tasks: TaskStore): TaskRecord {
  const { lifecycle, namespace, plan } = fields(value, path)
  const name = text(lifecycle, `${path}.lifecycle`)
  const known = tasks.knownLifecycle(name)
  if (!known)
    throw new StateError(`${path}.lifecycle is ${JSON.stringify(name.slice(0, 40))}, which is unknown`)
  if (!namespaceName.test(text(namespace, `${path}.namespace`)))
    throw new StateError(`${path}.namespace is not a name of a namespace`)
  checkHead(value, path)
  planCheck(known)(plan, `${path}.plan`)
  return value as TaskRecord
}

/**
 * Checks the amendments of a task.
 * @param lifecycle if it is known, only its states are valid.
 */
export function checkAmendments(
  value: unknown,
  path: string,
  lifecycle: Lifecycle | undefined,
): readonly Amendment[] {
  const forms: Readonly<Record<string, ValueCheck<unknown>>> = {
    transition: objectOf({ at: count, state: stateCheck(lifecycle), cause: text, reason: optional(text) }),
    confirm: objectOf({
      at: count,
      operation: text,
      request: optional(fields),
      plan: optional(planCheck(lifecycle)),
    }),
    begin: objectOf({ at: count, begins: nullable(count) }),
    end: objectOf({ at: count, ends: nullable(count), state: stateCheck(lifecycle), reason: optional(text) }),
  }
  for (const [index, amendment] of items(value, path).entries()) {
    const at = `${path}[${index}]`
    const check = forms[String(fields(amendment, at)['kind'])]
    if (!check) throw new StateError(`${at}.kind must be one of ${Object.keys(forms).join(', ')}`)
    check(amendment, at)
  }
  return value as readonly Amendment[]
}

const planChecks = new WeakMap<Lifecycle, ValueCheck<unknown>>()

function planCheck(lifecycle: Lifecycle | undefined): ValueCheck<unknown> {
  const known = lifecycle && planChecks.get(lifecycle)
  if (known) return known
  const state = stateCheck(lifecycle)
  const step = objectOf({
    state,
    lastsMs: nullable(amount),
    wholeMs: optional(amount),
    progress: optional(amount),
    awaits: optional(text),
    expires: optional(state),
    expiryReason: optional(text),
  })
  const plan = objectOf({ reason: optional(text), steps: listOf(step) })
  const check: ValueCheck<unknown> = (value, path) => {
    if (plan(value, path).steps.length > 0) return value
    throw new StateError(`${path}.steps must not be empty`)
  }
  if (lifecycle) planChecks.set(lifecycle, check)
  return check
}

function stateCheck(lifecycle: Lifecycle | undefined): ValueCheck<string> {
  if (!lifecycle) return text
  return (value, path) => {
    const state = text(value, path)
    if (Object.hasOwn(lifecycle.states, state)) return state
    const known = Object.keys(lifecycle.states).join(', ')
    throw new StateError(`${path} is ${JSON.stringify(state.slice(0, 40))}, but the lifecycle has ${known}`)
  }
}
