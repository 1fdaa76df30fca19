import type { Draws } from '../engine/draws.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { Amendment, RequestFields, TaskRecord } from '../engine/plan.ts'
import type { TaskStore } from '../engine/tasks.ts'
import type { GatewayNamespace } from '../gateway/parts.ts'
import type { Limits } from '../scenario/limits.ts'
import { checkRule, RuleError } from '../scenario/checks.ts'
import type { RulePast, Rules } from '../scenario/rules.ts'
import { readSnapshot } from '../state/document.ts'
import type { Change, State } from '../state/state.ts'
import { StateError } from '../state/state-error.ts'
import { textsOf } from '../state/task-shape.ts'
import { canBeShown } from './trial.ts'

/** What a restore needs of a simulator. */
export interface RestoreParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Limits
  readonly draws: Draws
  readonly state: () => State
  /** Whether changes of a task may be reported to an address. */
  readonly mayReport: (address: string) => boolean
}

/** What came of a restore. */
export interface Restored {
  readonly namespaces: readonly string[]
  readonly tasks: number
}

/**
 * Puts what a document says in the place of what is there, of one namespace or of all.
 *
 * @param options `clear` empties a namespace; `namespace` is the only one that may be touched; `isTrusted` lets tasks
 * name files and addresses that this simulator doesn't know.
 * @throws {StateError} for a document that can't be; then everything is as it was.
 */
export function restoreSnapshot(
  document: unknown,
  parts: RestoreParts,
  options: { clear: (namespace: string) => void; namespace?: string; isTrusted?: boolean },
): Restored {
  const { namespaces, tasks, rules, throttles } = parts
  const state = parts.state()
  const known = options.isTrusted ? undefined : filesIn(parts)
  const { namespace, changes } = readSnapshot(document, {
    state,
    seed: parts.draws.seed,
    namespace: options.namespace,
    lifecycleOf: (name) => tasks.knownLifecycle(name),
    homeOf: (id) => tasks.find(id)?.record.namespace,
    refuse: (record, amendments) =>
      known &&
      (refusal(record, [record.request, ...(amendments as readonly RequestFields[])], known, parts) ??
        unshowable(record, amendments as readonly Amendment[], parts)),
  })
  for (const [part, [id], value] of changes) if (part === 'rule') checkKept(id!, value as RulePast, known)

  const named = new Set(namesOf(changes))
  if (named.size > namespaces.most) {
    throw new StateError(`The snapshot has ${named.size} namespaces, while there may be ${namespaces.most}`)
  }
  const put = (all: readonly Change[]): void => {
    const there = namespace === undefined ? namespaces.all().map(({ name }) => name) : [namespace]
    for (const name of there) if (namespaces.has(name)) options.clear(name)
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
    put(changes)
  } catch (error) {
    // What one value has to do with another shows only when both are there: the same rule twice, or too many.
    put(before)
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
  files: ReadonlySet<string>,
  { mayReport }: RestoreParts,
): string | undefined {
  for (const [name, text] of textsOf(fields as unknown as RequestFields)) {
    if (name === 'file' && !files.has(text))
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
function checkKept(id: string, { layer, rule }: RulePast, files: ReadonlySet<string> | undefined): void {
  if (layer === 'file' || !rule) return
  const file = rule.media?.file
  if (files && file !== undefined && !files.has(file)) {
    throw new StateError(`Rule "${id}" names the file ${JSON.stringify(file)}, which no rule here does`)
  }
  try {
    checkRule(id, rule)
  } catch (error) {
    if (!(error instanceof RuleError || error instanceof TypeError)) throw error
    throw new StateError(`Rule "${id}" can't be: ${error.message}`)
  }
}
