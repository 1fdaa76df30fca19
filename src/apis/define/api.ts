import { roles } from '../../engine/operations/facts.ts'
import { OperationTable, type ApiSettings } from '../../engine/operations/operation-table.ts'
import { replaceLifecycle, type Lifecycle, type LifecycleDefinition } from '../../engine/tasks/lifecycle.ts'
import type { Route } from '../../gateway/exchange.ts'
import { Router } from '../../gateway/router.ts'
import type { Routers } from '../../gateway/lazy-router.ts'
import type { ApiExploration } from './exploration.ts'
import type { ApiFlow, ApiRecording, EventData, ObservedEvent } from './flow.ts'
import type { InvariantDefinition } from './invariant.ts'
import { generalInvariants } from '../../scenario/vocabulary/invariant-names.ts'
import type { Price } from '../../scenario/vocabulary/types.ts'
import type { StateNames } from '../../engine/tasks/changes.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type * as z from 'zod/mini'
import type { Operation } from './operation.ts'
import type { Core, OtherApis, UnservedRequests } from '../../gateway/core.ts'
import type { KeyPlace } from './operation-schema.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { ClipSpec, MediaSpec } from '../../media/spec.ts'

/** One API: everything that is its own. Its folder exports it, `index.ts` lists it, and nothing else names it. */
export interface Api<
  Name extends string = string,
  Settings extends Partial<ApiSettings> = Partial<ApiSettings>,
> {
  /** Such as `openai-video`. */
  readonly name: string
  /** Of an API of a user: the version of its definition. A snapshot contains it. */
  readonly version?: number
  /** Its operations, by role, in the order in which docs and messages list them. */
  readonly operations: readonly Operation<Name>[]
  /** The kinds of tasks that it makes. */
  readonly kinds?: readonly TaskKind[]
  /** Its keys of options, config and scenario files. */
  readonly settings?: Settings
  /** What the OpenAPI document calls it. */
  readonly title: string
  /** What the OpenAPI document says of it. */
  readonly description: string
  /** The envelope of its refusals, for the OpenAPI document, if not that of its golden exchanges. */
  readonly error?: () => z.ZodMiniType
  /** Where its keys may be, besides `Authorization`. */
  readonly keys?: readonly KeyPlace[]
  /** Reads a key from these places. Undefined without one: then `Authorization` counts. */
  readonly credential?: Route['credential']
  /** What its keys match, if they don't start with `sk-`. */
  readonly keyForm?: RegExp
  /** What a good client of it never breaks, besides what every good client never breaks. */
  readonly invariants?: readonly InvariantDefinition[]
  /** What the reference client can do with it, by name. */
  readonly flows?: readonly ApiFlow[]
  /** How recordings of it are read, without flows that read them. */
  readonly recording?: ApiRecording
  /** Reads an event of its streams in a recording. */
  readonly readEvent?: (event: EventData) => ObservedEvent
  /** What its models make. The option `models` can set another kind for a model. */
  readonly modelKind?: string
  /** The prices of its models. Prices in the options take precedence. */
  readonly prices?: readonly Price[]
  /** What exploration needs of it beyond roles. */
  readonly exploration?: ApiExploration
  /** Its base URL for clients: what the banner of a server calls it, and its path. */
  readonly base?: { readonly name: string; readonly path: string }
  /** The environment variables by which its SDKs find the gateway, with `${url}` and `${key}`. */
  readonly variables?: Readonly<Record<string, string>>
  /** Lines to paste that call it. */
  readonly samples?: readonly Sample[]
  /** Paths of its kind that clients expect but no operation serves: why, and what to do instead. */
  readonly instead?: OtherApis
  /** Requests of its kind that the gateway knows but does not implement: a method and a path. */
  readonly unimplemented?: RegExp
  /** Folders that its clients use by mistake, each with the right one: `/v1beta/openai/` for `/v1/`. */
  readonly folders?: UnservedRequests['folders']
  /**
   * Reads its options. A new simulator calls it at once, so that a contradiction is found at the start. APIs may share it.
   */
  readonly readSettings?: (core: Core) => unknown
  /** Loads what its first request would otherwise wait for. APIs that share it load it once. */
  readonly load?: (core: Core) => unknown
  /** Starts what it does in a simulator besides answering requests, such as reports about tasks. */
  readonly attach?: (core: Core) => Attachment
}

/** Lines to paste that call an API, with `${url}` and `${key}`. */
export interface Sample {
  /** The client that they are for. The dashboard shows the first sample of each. */
  readonly client: string
  /** For a shell: what the lines do, as the comment above them. Servers print these samples. */
  readonly comment?: string
  readonly lines: readonly string[]
}

/** What an API does in one simulator besides answering requests. */
export interface Attachment {
  /** Ends it. */
  readonly close?: () => void
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

/** Defines an API; the names of its operations stay literal types, and its settings their own. Operations are in the order of their roles. */
export function defineApi<
  const Operations extends readonly Operation[],
  Settings extends Partial<ApiSettings>,
>(
  api: Omit<Api<Operations[number]['name'], Settings>, 'operations'> & { readonly operations: Operations },
): Api<Operations[number]['name'], Settings> {
  const placeOf = ({ facts }: Operation): number => roles.indexOf(facts.role)
  const operations = api.operations.toSorted((one, other) => placeOf(one) - placeOf(other))
  const { credential } = api
  return {
    ...api,
    operations: credential ? operations.map((each) => withCredential(each, credential)) : operations,
  }
}

/** An operation that reads its keys from the places of its API. */
function withCredential(operation: Operation, credential: NonNullable<Api['credential']>): Operation {
  const createRoute: Operation['createRoute'] = (core) => ({
    ...operation.createRoute(core),
    credential,
  })
  return { ...operation, createRoute }
}

/** The names of the operations of APIs. */
export type NamesOf<Apis extends readonly Api[]> = Apis[number]['operations'][number]['name']

/** The latest table. The options of a simulator are checked by the table that it then has. */
let latest: { readonly apis: readonly Api[]; readonly table: OperationTable } | undefined

/** The table of all operations of some APIs. */
export function tableOf(apis: readonly Api[]): OperationTable {
  if (!latest || !areSame(latest.apis, apis)) latest = { apis, table: createTable(apis) }
  return latest.table
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

function createTable(apis: readonly Api[]): OperationTable {
  return new OperationTable(
    apis.flatMap(({ operations }) => operations),
    lifecyclesOf(apis, {}),
    {
      flows: apis.flatMap(({ flows = [] }) => flows.map(({ name }) => name)),
      modelKinds: [...new Set(apis.flatMap(({ modelKind }) => modelKind ?? []))],
      invariants: [
        ...generalInvariants,
        ...apis.flatMap(({ invariants = [] }) => invariants.map(({ name }) => name)),
      ],
    },
    settingsOf(apis),
  )
}

/** The settings of lists of APIs. Few lists exist, because APIs of users bring none. */
const settingsMade: { readonly apis: readonly Api[]; readonly settings: ApiSettings }[] = []

/** The settings that some APIs bring. The same APIs bring the same object, so that schemas of it are made once. */
function settingsOf(all: readonly Api[]): ApiSettings {
  const apis = all.filter(({ settings }) => settings !== undefined)
  const known = settingsMade.find((made) => areSame(made.apis, apis))
  if (known) return known.settings
  const keys = (part: keyof ApiSettings): ApiSettings[typeof part] =>
    Object.assign({}, ...apis.map(({ settings }) => settings![part])) as ApiSettings[typeof part]
  const settings: ApiSettings = {
    options: keys('options'),
    quirks: keys('quirks'),
    models: keys('models'),
    steps: keys('steps'),
  }
  settingsMade.push({ apis, settings })
  return settings
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

/** Finds the drawing behind a URL, whichever API made it. */
export function drawingsOf(apis: readonly Api[]): Core['findDrawing'] {
  const finds = apis.flatMap(({ kinds = [] }) => kinds.flatMap(({ findDrawing }) => findDrawing ?? []))
  return (url, x) => {
    for (const find of finds) {
      const drawing = find(url, x)
      if (drawing) return drawing
    }
    return undefined
  }
}

/** What APIs know of requests that no route serves. */
export function unservedRequests(
  apis: readonly Pick<Api, 'version' | 'base' | 'instead' | 'unimplemented' | 'folders'>[],
): UnservedRequests {
  // A user's API is found by its prefixes instead.
  const shipped = apis.filter(({ version }) => version === undefined)
  const roots = shipped.flatMap(({ base }) => /^\/[^/]+/.exec(base?.path ?? '') ?? [])
  return {
    instead: apis.flatMap(({ instead = [] }) => instead),
    unimplemented: apis.flatMap(({ unimplemented }) => unimplemented ?? []),
    folders: apis.flatMap(({ folders = [] }) => folders),
    roots: [...new Set(roots)],
  }
}

/**
 * What the APIs attach; two that share something attach it once. Their settings are read before.
 * @throws {SettingsError} {DurationError} {TextSettingsError} for settings that contradict each other.
 */
export function attachAll(apis: readonly Api[], { use }: Core): Attachment[] {
  for (const { readSettings } of apis) if (readSettings) use(readSettings)
  return [...new Set(apis.flatMap(({ attach }) => (attach ? use(attach) : [])))]
}

/** The latest routers. Most simulators of a process serve the same operations. */
let latestRouters: Routers<Route> | undefined

/** The routers of the operations of some APIs. */
export function routersOf(apis: readonly Api[], options: object): Routers<Route> {
  const all = apis.flatMap(({ operations }) => operations).filter((operation) => !isCallback(operation))
  const served = all.filter((operation) => isServed(operation, options))
  const withheld = all.filter((operation) => !isServed(operation, options))
  const isKnown =
    latestRouters &&
    areSame(latestRouters.served.routes, served) &&
    areSame(latestRouters.withheld.routes, withheld)
  if (!isKnown) latestRouters = { served: new Router(served), withheld: new Router(withheld) }
  return latestRouters!
}

/** The operations by which some APIs send the states of tasks, by the kind of tasks. */
export function callbacksOf(apis: readonly Api[]): ReadonlyMap<string, Operation> {
  const reports = apis.flatMap(({ operations }) => operations.filter(isCallback))
  return new Map(reports.map((operation) => [operation.facts.tasks!, operation]))
}

const isCallback = ({ facts: { role } }: Operation): boolean => role === 'report'

/** Whether no option withholds an operation. */
export function isServed({ facts: { option } }: Operation, options: object): boolean {
  return option === undefined || optionAt(options, option) === true
}

/** An option by its path, such as `video.listAndDelete`. */
export function optionAt(options: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((group, key) => (group as Record<string, unknown> | undefined)?.[key], options)
}

/** A kind of task: the states that it passes, and the media that it makes. */
export interface TaskKind {
  /** Its name is that of the kind. */
  readonly lifecycle: Lifecycle
  /** The stored part of its request. A restored task must fit it. */
  readonly request: () => z.ZodMiniObject
  /** What a task makes: videos or images. */
  readonly makes: (task: Task) => 'video' | 'image'
  /** The clips to encode for a task; empty if there are none, or if a file is sent. */
  readonly clipsOf: (task: Task) => readonly ClipSpec[]
  /** The result of a task: of several videos, the first. Undefined for a task without media. */
  readonly mediaOf: (task: Task) => MediaSpec | undefined
  /** The image that stands for the result of a task. For a video, the video itself. */
  readonly posterOf: (task: Task) => MediaSpec | undefined
  /** Makes the response to a poll at an instant. @throws {Error} for a record whose request is invalid. */
  readonly tryPoll: (task: Task, now: number, draws: Draws) => void
  /** The drawing behind a URL, if it is the link to a finished image of the same namespace. */
  readonly findDrawing?: Core['findDrawing']
}

/** Finds the kind of a task. */
export type FindKind = (task: Task) => TaskKind
