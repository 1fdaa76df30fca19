import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import { namespaceName } from '../engine/namespace.ts'
import type { Amendment, Plan, RequestFields, Step, TaskRecord } from '../engine/tasks/plan.ts'
import { countOf, fieldsOf, listOf, maybe, numberOf, textOf } from './shape.ts'
import { StateError } from './state-error.ts'

/**
 * A task's record, as it was kept.
 * @param lifecycleOf finds a lifecycle by its name.
 * @throws {StateError} for what is none, and for states that its lifecycle doesn't know.
 */
export function checkRecord(
  value: unknown,
  where: string,
  lifecycleOf: (name: string) => Lifecycle | undefined,
): TaskRecord {
  const fields = fieldsOf(value, where)
  const name = textOf(fields['lifecycle'], `${where}.lifecycle`)
  const lifecycle = lifecycleOf(name)
  if (!lifecycle)
    throw new StateError(`${where}.lifecycle is ${JSON.stringify(name.slice(0, 40))}, which nobody knows`)
  const namespace = textOf(fields['namespace'], `${where}.namespace`)
  if (!namespaceName.test(namespace)) throw new StateError(`${where}.namespace is no name of a namespace`)
  for (const each of ['id', 'operation', 'identity']) textOf(fields[each], `${where}.${each}`)
  for (const each of ['row', 'occurrence', 'submittedAt']) countOf(fields[each], `${where}.${each}`)
  checkPlan(fields['plan'], `${where}.plan`, lifecycle)
  fieldsOf(fields['request'], `${where}.request`)
  maybe(fields['nth'], `${where}.nth`, countOf)
  maybe(fields['body'], `${where}.body`, fieldsOf)
  return value as TaskRecord
}

/**
 * What happened to a task after its submission.
 * @throws {StateError} as {@link checkRecord} does.
 */
export function checkAmendments(
  value: unknown,
  where: string,
  lifecycle: Lifecycle | undefined,
): readonly Amendment[] {
  for (const [index, each] of listOf(value, where).entries()) {
    const at = `${where}[${index}]`
    const { kind, at: instant, state, cause, operation, request, plan, begins, reason } = fieldsOf(each, at)
    countOf(instant, `${at}.at`)
    maybe(reason, `${at}.reason`, textOf)
    if (kind === 'transition') {
      knownState(textOf(state, `${at}.state`), `${at}.state`, lifecycle)
      textOf(cause, `${at}.cause`)
    } else if (kind === 'confirm') {
      textOf(operation, `${at}.operation`)
      maybe(request, `${at}.request`, fieldsOf)
      if (plan !== undefined) checkPlan(plan, `${at}.plan`, lifecycle)
    } else if (kind === 'begin') {
      if (begins !== null) countOf(begins, `${at}.begins`)
    } else throw new StateError(`${at}.kind must be transition, confirm or begin`)
  }
  return value as readonly Amendment[]
}

function checkPlan(value: unknown, where: string, lifecycle: Lifecycle | undefined): Plan {
  const { steps, reason } = fieldsOf(value, where)
  maybe(reason, `${where}.reason`, textOf)
  const list = listOf(steps, `${where}.steps`)
  if (list.length === 0) throw new StateError(`${where}.steps must not be empty`)
  for (const [index, step] of list.entries()) checkStep(step, `${where}.steps[${index}]`, lifecycle)
  return value as Plan
}

function checkStep(value: unknown, where: string, lifecycle: Lifecycle | undefined): Step {
  const { state, lastsMs, wholeMs, awaits, expires, expiryReason, progress } = fieldsOf(value, where)
  knownState(textOf(state, `${where}.state`), `${where}.state`, lifecycle)
  if (lastsMs !== null) numberOf(lastsMs, `${where}.lastsMs`)
  maybe(wholeMs, `${where}.wholeMs`, numberOf)
  maybe(progress, `${where}.progress`, numberOf)
  maybe(awaits, `${where}.awaits`, textOf)
  maybe(expiryReason, `${where}.expiryReason`, textOf)
  if (expires !== undefined) knownState(textOf(expires, `${where}.expires`), `${where}.expires`, lifecycle)
  return value as Step
}

function knownState(state: string, where: string, lifecycle: Lifecycle | undefined): void {
  if (!lifecycle || Object.hasOwn(lifecycle.states, state)) return
  const known = Object.keys(lifecycle.states).join(', ')
  throw new StateError(`${where} is ${JSON.stringify(state.slice(0, 40))}, but the lifecycle has ${known}`)
}

/** Every text in what a request asked for, with the name under which it stands: for who looks for paths and addresses. */
export function* textsOf(
  value: RequestFields[string] | undefined,
  name = '',
): Generator<[name: string, text: string]> {
  if (typeof value === 'string') yield [name, value]
  else if (typeof value === 'object' && value !== null) {
    for (const [inner, each] of Object.entries(value))
      yield* textsOf(each as RequestFields[string], Array.isArray(value) ? name : inner)
  }
}
