import * as z from 'zod/mini'
import type { Core } from '../../gateway/core.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { once } from '../../engine/once.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Amendment, TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { refusing } from '../../scenario/schema/fields.ts'
import { optionalText } from '../../scenario/schema/json-values.ts'
import { amount, count, definePart, fields, type Names, type StateParts } from './parts.ts'

/** The tasks, their numbering, their amendments and their numbers of polls. */
export function taskParts({ namespaces, tasks }: Pick<Core, 'namespaces' | 'tasks'>): StateParts {
  function* namesOf(namespace: string | undefined, isMeant: (task: Task) => boolean): Generator<Names> {
    const list = namespace === undefined ? tasks.all() : tasks.list(namespace)
    for (const task of list) if (isMeant(task)) yield [task.record.namespace, task.id]
  }
  const taskSchema = once(() => taskSchemaOf(tasks.lifecycles()))
  return {
    task: definePart({
      names: ['namespace', 'id'],
      list: (namespace) => namesOf(namespace, () => true),
      read: (_, id) => {
        const task = tasks.find(id)
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
      schema: () => taskSchema(),
      problem: ({ record }, namespace, id) => {
        if (record.id !== id) return `record.id must be "${id}"`
        return record.namespace === namespace ? undefined : `record.namespace must be "${namespace}"`
      },
      write: ({ record, key }, _, id) => {
        tasks.apply({ type: 'task.submitted', at: record.submittedAt, task: record })
        if (key !== undefined) tasks.find(id)!.key = key
      },
    }),
    submitted: definePart({
      names: ['namespace', 'kind'],
      *list(namespace) {
        for (const { name } of namespaces.all()) {
          if (namespace !== undefined && name !== namespace) continue
          // A restore counts the remaining tasks in another order.
          for (const lifecycle of [...tasks.submitted(name).keys()].toSorted()) yield [name, lifecycle]
        }
      },
      read: (namespace, lifecycle) => tasks.submitted(namespace).get(lifecycle),
      schema: count,
      write: (submitted, namespace, lifecycle) => tasks.restoreSubmitted(namespace, lifecycle, submitted),
    }),
    amended: definePart({
      names: ['namespace', 'id'],
      list: (namespace) => namesOf(namespace, ({ amendments }) => amendments.length > 0),
      read: (_, id) => tasks.find(id)?.amendments,
      schema: (_, id) => amendmentsSchema(tasks.find(id)?.lifecycle),
      write: (amendments, _, id) => {
        const task = tasks.find(id)
        if (task) tasks.restore(task, amendments)
      },
    }),
    look: definePart({
      names: ['namespace', 'id'],
      list: (namespace) => namesOf(namespace, ({ requests, pollCount }) => requests + pollCount > 0),
      read: (_, id) => {
        const task = tasks.find(id)
        return task && [task.lastLook, task.pollCount, task.requests]
      },
      schema: lookSchema,
      write: ([lastLook, pollCount, requests], _, id) => {
        const task = tasks.find(id)
        if (task) Object.assign(task, { lastLook, pollCount, requests })
      },
    }),
  }
}

const lookSchema = z.tuple([amount, count, count])

/** A task in a state that its lifecycle has. */
function taskSchemaOf(
  lifecycles: Iterable<Lifecycle>,
): z.ZodMiniType<{ readonly record: TaskRecord; readonly key?: string | undefined }> {
  const [first, ...others] = Array.from(lifecycles, (lifecycle) =>
    z.object({
      lifecycle: z.literal(lifecycle.name),
      namespace: z.string(),
      id: z.string(),
      operation: z.string(),
      identity: z.string(),
      row: count,
      occurrence: count,
      submittedAt: count,
      plan: schemasOf(lifecycle).plan,
      request: fields,
      nth: z.optional(count),
      aliases: z.optional(z.array(z.string())),
      body: z.optional(fields),
    }),
  )
  const record = z.discriminatedUnion('lifecycle', [first!, ...others])
  return z.object({ record, key: optionalText }) as z.ZodMiniType as never
}

/** @param lifecycle if it is known, only its states are valid. */
export function amendmentsSchema(lifecycle: Lifecycle | undefined): z.ZodMiniType<readonly Amendment[]> {
  return schemasOf(lifecycle).amendments as z.ZodMiniType as never
}

interface Schemas {
  readonly plan: z.ZodMiniType
  readonly amendments: z.ZodMiniType
}

const made = new WeakMap<object, Schemas>()
const anyLifecycle = {}

/** The forms of plans and amendments, made once for each lifecycle. */
function schemasOf(lifecycle: Lifecycle | undefined): Schemas {
  const known = made.get(lifecycle ?? anyLifecycle)
  if (known) return known
  const schemas = makeSchemas(lifecycle)
  made.set(lifecycle ?? anyLifecycle, schemas)
  return schemas
}

function makeSchemas(lifecycle: Lifecycle | undefined): Schemas {
  const state = lifecycle ? stateOf(lifecycle) : z.string()
  const step = z.object({
    state,
    lastsMs: z.nullable(amount),
    wholeMs: z.optional(amount),
    progress: z.optional(amount),
    awaits: optionalText,
    expires: z.optional(state),
    expiryReason: optionalText,
  })
  const plan = z.object({ reason: optionalText, steps: z.array(step).check(z.minLength(1)) })
  const amendment = z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('transition'),
      at: count,
      state,
      cause: z.string(),
      reason: optionalText,
    }),
    z.object({
      kind: z.literal('confirm'),
      at: count,
      operation: z.string(),
      request: z.optional(fields),
      plan: z.optional(plan),
    }),
    z.object({ kind: z.literal('begin'), at: count, begins: z.nullable(count) }),
    z.object({
      kind: z.literal('end'),
      at: count,
      ends: z.nullable(count),
      state,
      reason: optionalText,
    }),
  ])
  return { plan, amendments: z.array(amendment) }
}

function stateOf({ states }: Lifecycle): z.ZodMiniType<string> {
  const known = Object.keys(states)
  return z
    .string()
    .check(
      refusing((state) =>
        Object.hasOwn(states, state)
          ? undefined
          : `the lifecycle has ${known.join(', ')}.${didYouMean(state, known)}`,
      ),
    )
}
