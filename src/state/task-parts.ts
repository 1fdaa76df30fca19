import { hashApiKey } from '../engine/random/hash.ts'
import type { Amendment, TaskRecord } from '../engine/tasks/plan.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import { definePart, type Names, type Part, type StateParts } from './parts.ts'
import { countOf, fieldsOf, listOf, maybe, numberOf, textOf } from './shape.ts'
import { StateError } from './state-error.ts'
import { checkAmendments, checkRecord } from './task-shape.ts'

/** The tasks, what happened to them, and who looked at them. */
export function taskParts({
  tasks,
  lifecycleOf,
}: StateParts): Readonly<Record<'task' | 'amended' | 'look', Part>> {
  function* ids(namespace: string | undefined, wanted: (task: Task) => boolean): Generator<Names> {
    const list = namespace === undefined ? tasks.all() : tasks.list(namespace)
    for (const task of list) if (wanted(task)) yield [task.id]
  }
  const remove = (id: string): void => {
    const task = tasks.find(id)
    if (task) tasks.apply({ type: 'task.removed', at: 0, namespace: task.record.namespace, id })
  }
  return {
    task: definePart<{ record: TaskRecord; key?: string }>({
      all: (namespace) => ids(namespace, () => true),
      read: (id) => {
        const task = tasks.find(id!)
        return (
          task && {
            // It never changes, and of a hundred thousand at once nobody needs all of them at hand.
            get record() {
              return task.record
            },
            ...(task.key !== undefined && { key: hashApiKey(task.key) }),
          }
        )
      },
      check: (value, where, [id]) => {
        const fields = fieldsOf(value, where)
        const record = checkRecord(fields['record'], `${where}.record`, lifecycleOf)
        if (record.id !== id) throw new StateError(`${where}.record.id must be "${id}"`)
        const key = maybe(fields['key'], `${where}.key`, textOf)
        return { record, ...(key !== undefined && { key }) }
      },
      write: ({ record, key }, id) => {
        // What is written again comes last: tasks are kept in the order in which they were made.
        remove(id!)
        tasks.apply({ type: 'task.submitted', at: record.submittedAt, task: record })
        if (key !== undefined) tasks.find(id!)!.key = key
      },
      remove: (id) => remove(id!),
    }),
    amended: definePart<readonly Amendment[]>({
      all: (namespace) => ids(namespace, ({ amendments }) => amendments.length > 0),
      read: (id) => tasks.find(id!)?.amendments,
      check: (value, where, [id]) => checkAmendments(value, where, tasks.find(id!)?.lifecycle),
      write: (amendments, id) => {
        const task = tasks.find(id!)
        if (task) tasks.restore(task, amendments)
      },
    }),
    look: definePart<readonly [lastLook: number, pollCount: number, requests: number]>({
      all: (namespace) => ids(namespace, ({ requests, pollCount }) => requests + pollCount > 0),
      read: (id) => {
        const task = tasks.find(id!)
        return task && [task.lastLook, task.pollCount, task.requests]
      },
      check: (value, where) => {
        const [lastLook, pollCount, requests] = listOf(value, where)
        return [numberOf(lastLook, where), countOf(pollCount, where), countOf(requests, where)]
      },
      write: ([lastLook, pollCount, requests], id) => {
        const task = tasks.find(id!)
        if (task) Object.assign(task, { lastLook, pollCount, requests })
      },
    }),
  }
}
