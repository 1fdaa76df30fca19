import type { Draws } from '../engine/random/draws.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { Amendment, RequestFields, TaskRecord } from '../engine/tasks/plan.ts'
import { Task, type TaskStore } from '../engine/tasks/tasks.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import { checkRule, RuleError } from '../scenario/rules/check-rule.ts'
import type { RulePast, Rules } from '../scenario/rules/rules.ts'
import { type CheckedSnapshot, readSnapshot } from '../state/document.ts'
import type { Change, State } from '../state/state.ts'
import { StateError } from '../state/state-error.ts'
import { textsOf } from '../state/task-shape.ts'
import { latestInstant } from '../engine/clock/clock-settings.ts'
import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import { viewAt } from '../engine/tasks/timeline.ts'
import { clipsOf } from '../apis/drawing/composition.ts'
import { drawingRecord } from '../apis/drawing/record.ts'
import { isDrawing } from '../apis/drawing/result.ts'
import { videoRecord } from '../apis/openai-video/retrieve.ts'
import { mediaOfTask } from '../apis/video/task.ts'

/** What a restore needs of a simulator. */
export interface RestoreParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Throttles
  readonly draws: Draws
  readonly state: () => State
  /** Empties a namespace. */
  readonly clear: (namespace: string) => void
  /** Whether changes of a task may be reported to an address. */
  readonly mayReport: (address: string) => boolean
}

/** What came of a restore. */
export interface Restored {
  readonly namespaces: readonly string[]
  readonly tasks: number
}

/** How a document is restored. */
export interface RestoreOptions {
  /** The only one that may be touched. */
  readonly namespace?: string
  /** Lets tasks name files and addresses that this simulator doesn't know. */
  readonly isTrusted?: boolean
}

/**
 * Puts what a document says in the place of what is there, of one namespace or of all.
 * @throws {StateError} for a document that can't be; then everything is as it was.
 */
export function restoreSnapshot(document: unknown, parts: RestoreParts, options: RestoreOptions): Restored {
  const checks = checked(document, parts, options)
  for (;;) {
    const { done, value } = checks.next()
    if (done) return put(value, parts)
  }
}

/** As {@link restoreSnapshot}; others have their turn while the document is checked. */
export async function restoreInTurns(
  document: unknown,
  parts: RestoreParts,
  options: RestoreOptions,
): Promise<Restored> {
  const checks = checked(document, parts, options)
  for (;;) {
    const { done, value } = checks.next()
    if (done) return put(value, parts)
    await new Promise<void>((resolve) => hostTimers.setImmediate(resolve))
  }
}

function* checked(
  document: unknown,
  parts: RestoreParts,
  { namespace, isTrusted = false }: RestoreOptions,
): Generator<void, CheckedSnapshot> {
  const { tasks, draws } = parts
  let files: ReadonlySet<string> | undefined
  // All tasks must be looked through for them, and hardly any document names one.
  const isKnown = (file: string): boolean => (files ??= filesIn(parts)).has(file)
  const snapshot = yield* readSnapshot(document, {
    state: parts.state(),
    seed: draws.seed,
    namespace,
    lifecycleOf: (name) => tasks.knownLifecycle(name),
    refuse: (record, amendments) =>
      isTrusted
        ? undefined
        : (refusal(record, [record.request, ...(amendments as readonly RequestFields[])], isKnown, parts) ??
          unshowable(record, amendments as readonly Amendment[], parts)),
  })
  for (const [part, [id], value] of snapshot.changes) {
    if (part === 'rule') checkKept(id!, value as RulePast, isTrusted ? undefined : isKnown)
  }
  return snapshot
}

function put({ namespace, changes }: CheckedSnapshot, parts: RestoreParts): Restored {
  const { namespaces, tasks, rules, throttles, clear } = parts
  const state = parts.state()
  const named = new Set(namesOf(changes))
  if (named.size > namespaces.max) {
    throw new StateError(`The snapshot has ${named.size} namespaces, while there may be ${namespaces.max}`)
  }
  for (const [part, [id]] of namespace === undefined ? [] : changes) {
    const home = part === 'task' ? tasks.find(id!)?.record.namespace : undefined
    if (home !== undefined && home !== namespace)
      throw new StateError(`Task "${id}" lives in namespace "${home}" already`)
  }
  const write = (all: readonly Change[]): void => {
    const there = namespace === undefined ? namespaces.all().map(({ name }) => name) : [namespace]
    for (const name of there) if (namespaces.has(name)) clear(name)
    if (namespace === undefined) {
      const kept = new Set(all.map(([part, [name]]) => (part === 'clock' ? name : undefined)))
      for (const name of there) if (!kept.has(name) && name !== 'default') namespaces.remove(name)
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
    // What one value has to do with another shows only when both are there: the same rule twice, or too many.
    write(before)
    throw new StateError(`The snapshot can't be: ${(error as Error).message}`)
  }
  return { namespaces: namesOf(changes), tasks: changes.filter(([part]) => part === 'task').length }
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.flatMap(([part, names]) => (part === 'clock' ? [names[0]!] : []))
}

/** A task may name files and addresses only where this simulator does so already: else a document could read any. */
function refusal(
  { lifecycle }: TaskRecord,
  fields: readonly RequestFields[],
  isKnown: (file: string) => boolean,
  { mayReport }: RestoreParts,
): string | undefined {
  for (const [name, text] of textsOf(fields as unknown as RequestFields)) {
    if (name === 'file' && !isKnown(text))
      return `names the file ${JSON.stringify(text)}, which no rule here does`
    if (lifecycle === 'drawing' && name === 'hook' && !mayReport(text)) {
      return `reports to ${JSON.stringify(text)}, which drawing.notifyHook doesn't allow`
    }
  }
  return undefined
}

/** Nothing that is taken may fail later, when it is asked for. */
function unshowable(
  record: TaskRecord,
  amendments: readonly Amendment[],
  { tasks, draws }: RestoreParts,
): string | undefined {
  const lifecycle = tasks.lifecycle(record.lifecycle)
  return canBeShown(record, amendments, { lifecycle, draws })
    ? undefined
    : "can't be shown: its request lacks what such a task has, or has what it can't"
}

/** The files that rules and tasks name by now. */
function filesIn({ rules, tasks }: RestoreParts): ReadonlySet<string> {
  const files = new Set<string>()
  for (const { rule } of rules.watched) if (rule.media?.file !== undefined) files.add(rule.media.file)
  for (const { record, amendments } of tasks.all()) {
    for (const [name, text] of textsOf([record.request, ...amendments] as unknown as RequestFields)) {
      if (name === 'file') files.add(text)
    }
  }
  return files
}

/** A rule that was added at run time, before anything is changed for it. */
function checkKept(id: string, { layer, rule }: RulePast, isKnown?: (file: string) => boolean): void {
  if (layer === 'file' || !rule) return
  const file = rule.media?.file
  if (isKnown && file !== undefined && !isKnown(file)) {
    throw new StateError(`Rule "${id}" names the file ${JSON.stringify(file)}, which no rule here does`)
  }
  try {
    checkRule(id, rule)
  } catch (error) {
    if (!(error instanceof RuleError || error instanceof TypeError)) throw error
    throw new StateError(`Rule "${id}" can't be: ${error.message}`)
  }
}

/**
 * Whether a task from elsewhere can be shown: it is, as whoever asks for it would see it in the beginning and in the end.
 * What a surface keeps of a request is its own matter, so it is tried, not described a second time.
 */
function canBeShown(
  record: TaskRecord,
  amendments: readonly Amendment[],
  { lifecycle, draws }: { lifecycle: Lifecycle; draws: Draws },
): boolean {
  try {
    const task = new Task(record, lifecycle, 0, amendments)
    for (const now of [record.submittedAt, latestInstant]) show(task, now, draws)
    return true
  } catch {
    return false
  }
}

function show(task: Task, now: number, draws: Draws): void {
  const view = viewAt(task.timeline, task.lifecycle, now)
  if (isDrawing(task)) {
    drawingRecord(task, { view, now, origin: '', draws })
    clipsOf(task)
  } else {
    videoRecord(task, view, '')
    mediaOfTask(task)
  }
}
