import type { FindKind, Attachment } from '../../apis/define/api.ts'
import {
  type Change,
  type Restored,
  type Snapshot,
  type StateControl,
  StateError,
} from '../../control/state.ts'
import { clearTasks, clockOf, type Core } from '../../gateway/core.ts'
import { latestInstant } from '../../engine/clock/clock-settings.ts'
import { runAtOnce, runInTurns, type Steps } from '../../engine/clock/timers/steps.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { Amendment, RequestFields, TaskRecord } from '../../engine/tasks/plan.ts'
import { Task, requestOf } from '../../engine/tasks/tasks.ts'
import { checkRule, RuleError } from '../../scenario/rules/check-rule.ts'
import { checkAgainst } from '../../scenario/schema/mistakes.ts'
import type { RulePast } from '../../scenario/rules/rules.ts'
import type { ApiVersions } from './api-versions.ts'
import { readSnapshot, snapshotOf, snapshotText, type CheckedSnapshot } from './snapshot.ts'
import type { State } from './state.ts'

/** The core with what snapshots add to it. */
interface SnapshotCore extends Core {
  readonly kindOf: FindKind
  readonly state: State
  /** The versions of the APIs of users, by name. */
  readonly apiVersions: ApiVersions
  /** What APIs have attached to the simulator. */
  readonly attachments: readonly Attachment[]
}

interface RestoreOptions {
  /** The only namespace that may change. */
  readonly namespace?: string
  /** Allows tasks to name files and URLs that this simulator doesn't know. */
  readonly isTrusted?: boolean
}

/** Takes and restores snapshots. */
export class Snapshots implements StateControl {
  readonly #core: SnapshotCore

  constructor(core: SnapshotCore) {
    this.#core = core
  }

  snapshot(namespace?: string): Snapshot {
    const { state, draws, apiVersions } = this.#core
    if (namespace !== undefined) clockOf(this.#core, namespace)
    return snapshotOf(state, { seed: draws.seed, namespace, apiVersions })
  }

  snapshotText(namespace?: string): Promise<Iterable<string>> {
    const { state, draws, apiVersions } = this.#core
    if (namespace !== undefined) clockOf(this.#core, namespace)
    return snapshotText(state, { seed: draws.seed, namespace, apiVersions })
  }

  restore(document: unknown, options: RestoreOptions = {}): Restored {
    return replaceState(runAtOnce(checkDocument(document, this.#core, options)), this.#core)
  }

  async restoreInTurns(document: unknown, options: RestoreOptions = {}): Promise<Restored> {
    return replaceState(await runInTurns(checkDocument(document, this.#core, options)), this.#core)
  }
}

function* checkDocument(
  document: unknown,
  core: SnapshotCore,
  { namespace, isTrusted = false }: RestoreOptions,
): Steps<CheckedSnapshot> {
  const { tasks, draws, operations } = core
  let files: ReadonlySet<string> | undefined
  // Computed late: it takes a pass over all tasks, and few documents name a file.
  const isKnown = (file: string): boolean => (files ??= filesIn(core)).has(file)
  const snapshot = yield* readSnapshot(document, {
    state: core.state,
    seed: draws.seed,
    apiVersions: core.apiVersions,
    namespace,
    lifecycleOf: (name) => tasks.knownLifecycle(name),
    refuse: (record, amendments) =>
      isTrusted
        ? undefined
        : (refusal(record, [record.request, ...(amendments as readonly RequestFields[])], isKnown, core) ??
          pollProblem(record, amendments as readonly Amendment[], core)),
  })
  for (const [part, [id], value] of snapshot.changes) {
    if (part === 'rule')
      checkRestoredRule(id!, value as RulePast, operations, isTrusted ? undefined : isKnown)
  }
  return snapshot
}

function replaceState({ namespace, changes }: CheckedSnapshot, core: SnapshotCore): Restored {
  const { namespaces, tasks, rules, throttles, state } = core
  const named = namespacesIn(changes)
  if (named.length > namespaces.max) {
    throw new StateError(`The snapshot has ${named.length} namespaces, while there may be ${namespaces.max}`)
  }
  for (const [part, [, id]] of namespace === undefined ? [] : changes) {
    const present = part === 'task' ? tasks.find(id!)?.record.namespace : undefined
    if (present !== undefined && present !== namespace)
      throw new StateError(`Task "${id}" is in namespace "${present}" already`)
  }
  const write = (all: readonly Change[]): void => {
    const present = namespace === undefined ? namespaces.all().map(({ name }) => name) : [namespace]
    for (const name of present) if (namespaces.has(name)) clearTasks(core, name)
    if (namespace === undefined) {
      const staying = new Set([...namespacesIn(all), 'default'])
      for (const name of present) if (!staying.has(name)) namespaces.remove(name)
      rules.reset()
      throttles.reset()
    }
    for (const change of all) state.write(change)
    state.resume()
    state.everythingChanged()
  }
  const before = [...state.values(namespace)]
  try {
    write(changes)
  } catch (error) {
    // Some conflicts, such as too many rules, appear only when values are written.
    write(before)
    throw new StateError(`The snapshot can't be restored: ${(error as Error).message}`)
  }
  return { namespaces: named, tasks: changes.filter(([part]) => part === 'task').length }
}

/** Each namespace has one clock. */
function namespacesIn(changes: readonly Change[]): string[] {
  return changes.flatMap(([part, names]) => (part === 'clock' ? [names[0]!] : []))
}

/** Refuses a task that names a file or URL unknown to this simulator. Otherwise a document could read any file. */
function refusal(
  record: TaskRecord,
  fields: readonly RequestFields[],
  isKnown: (file: string) => boolean,
  { attachments }: SnapshotCore,
): string | undefined {
  for (const [name, text] of textsOf(fields as unknown as RequestFields)) {
    if (name === 'file' && !isKnown(text))
      return `names the file ${JSON.stringify(text)}, which no rule here does`
    for (const { refuse } of attachments) {
      const problem = refuse?.(record, name, text)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** The files that rules and tasks name now. */
function filesIn({ rules, tasks }: SnapshotCore): ReadonlySet<string> {
  const files = new Set<string>()
  for (const { rule } of rules.watched) if (rule.media?.file !== undefined) files.add(rule.media.file)
  for (const { record, amendments } of tasks.all()) {
    for (const [name, text] of textsOf([record.request, ...amendments] as unknown as RequestFields)) {
      if (name === 'file') files.add(text)
    }
  }
  return files
}

/** Checks a rule that was added at run time. */
function checkRestoredRule(
  id: string,
  { layer, rule }: RulePast,
  operations: OperationTable,
  isKnown?: (file: string) => boolean,
): void {
  if (layer === 'file' || !rule) return
  const file = rule.media?.file
  if (isKnown && file !== undefined && !isKnown(file)) {
    throw new StateError(`Rule "${id}" names the file ${JSON.stringify(file)}, which no rule here does`)
  }
  try {
    checkRule(id, rule, operations)
  } catch (error) {
    if (!(error instanceof RuleError || error instanceof TypeError)) throw error
    throw new StateError(`Rule "${id}" is invalid: ${error.message}`)
  }
}

const unreadable = "can't be polled: fields of its request are missing or invalid"

/**
 * Why a poll of a restored task would fail; undefined if it would not. Only the API knows what it stores of a request. So
 * this tries the responses at the start and at the end of the task.
 */
function pollProblem(
  record: TaskRecord,
  amendments: readonly Amendment[],
  { tasks, kindOf, draws }: SnapshotCore,
): string | undefined {
  const lifecycle = tasks.lifecycle(record.lifecycle)
  try {
    const task = new Task(record, lifecycle, 0, amendments)
    if ('mistakes' in checkAgainst(kindOf(task).request(), requestOf(task))) return unreadable
    for (const now of [record.submittedAt, latestInstant]) kindOf(task).tryPoll(task, now, draws)
    return undefined
  } catch {
    return unreadable
  }
}

/** Every text in the fields of a request, with its path. */
function* textsOf(
  value: RequestFields[string] | undefined,
  name = '',
): Generator<[name: string, text: string]> {
  if (typeof value === 'string') yield [name, value]
  else if (typeof value === 'object' && value !== null) {
    for (const [inner, each] of Object.entries(value))
      yield* textsOf(each as RequestFields[string], Array.isArray(value) ? name : inner)
  }
}
