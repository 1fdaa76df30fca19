import { OperationTable } from '../../engine/operations/operation-table.ts'
import { replaceLifecycle, type Lifecycle, type LifecycleDefinition } from '../../engine/tasks/lifecycle.ts'
import type { OtherApis, Route } from '../../gateway/exchange.ts'
import type { Exploration } from './exploration.ts'
import type { ApiFlow } from './flow.ts'
import type { StateNames } from '../../engine/tasks/changes.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type * as z from 'zod/mini'
import type { ApiDeps, Operation } from './operation.ts'
import type { FindKind, TaskKind } from './task-kind.ts'

/** One API: everything that is its own. Its folder exports it, `index.ts` lists it, and nothing else names it. */
export interface Api<Name extends string = string> {
  /** Such as `openai-video`. */
  readonly name: string
  /** Its operations, in the order in which docs and messages list them. */
  readonly operations: readonly Operation<Name>[]
  /** The kinds of tasks that it makes. */
  readonly kinds?: readonly TaskKind[]
  /** What the reference client can do with it, by name. */
  readonly flows?: readonly ApiFlow[]
  /** What exploration needs of it beyond roles. */
  readonly exploration?: Exploration
  /** Paths of its kind that clients expect but no operation serves: why, and what to do instead. */
  readonly instead?: OtherApis
  /** Starts what it does in a simulator besides answering requests, such as reports about tasks. */
  readonly attach?: (deps: ApiDeps) => Attachment
}

/** What an API does in one simulator besides answering requests. */
export interface Attachment {
  /** Ends it. */
  readonly close?: () => void
  /** Forgets what it stored of a namespace. */
  readonly forget?: (namespace: string) => void
  /** Continues with a restored task, from the instant at which it was saved. */
  readonly resume?: (task: Task, savedAt: number) => void
  /** Why a task must not be restored with a text in this field, since a document may come from outside. */
  readonly refuse?: (record: TaskRecord, field: string, text: string) => string | undefined
  /** What survives a restart, by the name of its part of the state. */
  readonly stored?: Readonly<Partial<Record<keyof StateNames, StoredValues>>>
}

/** Values that survive a restart, each by its namespace and an id. */
export interface StoredValues {
  readonly list: () => Iterable<readonly [namespace: string, id: string]>
  readonly read: (namespace: string, id: string) => unknown
  /** The form of a value. */
  readonly schema: z.ZodMiniType
  readonly write: (namespace: string, id: string, value: never) => void
}

/** Defines an API; the names of its operations stay literal types. */
export function defineApi<const Operations extends readonly Operation[]>(
  api: Omit<Api, 'operations'> & { readonly operations: Operations },
): Api<Operations[number]['name']> {
  return api
}

/** The names of the operations of APIs. */
export type NamesOf<Apis extends readonly Api[]> = Apis[number]['operations'][number]['name']

/** The table of all operations of some APIs. */
export function tableOf(apis: readonly Api[]): OperationTable {
  return new OperationTable(apis.flatMap(({ operations }) => operations))
}

/** The lifecycles of some APIs, as far as options don't replace them. */
export function lifecyclesOf(apis: readonly Api[], options: object): Lifecycle[] {
  return apis.flatMap(({ kinds = [] }) =>
    kinds.map(({ lifecycle }) =>
      replaceLifecycle(
        lifecycle,
        optionAt(options, `${lifecycle.name}.lifecycle`) as LifecycleDefinition | undefined,
      ),
    ),
  )
}

/** Finds the kinds of tasks of some APIs. */
export function kindsOf(apis: readonly Api[]): FindKind {
  const kinds = new Map(
    apis.flatMap(({ kinds = [] }) => kinds.map((kind) => [kind.lifecycle.name, kind] as const)),
  )
  return ({ lifecycle }) => kinds.get(lifecycle.name)!
}

/** What the APIs attach; two that share something attach it once. */
export function attachAll(apis: readonly Api[], { use }: ApiDeps): Attachment[] {
  return [...new Set(apis.flatMap(({ attach }) => (attach ? use(attach) : [])))]
}

/** The routes of all operations. Those whose option is not set are marked, so that a 404 can name the option. */
export function createRoutes(apis: readonly Api[], deps: ApiDeps, options: object): Route[] {
  return apis
    .flatMap(({ operations }) => operations)
    .map(({ facts: { option }, createRoute }) => {
      const route = createRoute(deps)
      if (option === undefined || optionAt(options, option) === true) return route
      return { ...route, broughtBy: `${option.replace('.', ': { ')}: true }` }
    })
}

/** An option by its path, such as `video.listAndDelete`. */
function optionAt(options: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((group, key) => (group as Record<string, unknown> | undefined)?.[key], options)
}
