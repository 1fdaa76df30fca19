import { fitsGlob } from '../../engine/glob.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { Matchable } from './rule.ts'
import type { RuleMatch, TaskMatch, ValueMatch, Scalar } from '../vocabulary/types.ts'
import { readPath, valuesAt } from '../schema/body-path.ts'
import { fitsPattern, maxMatchedCharacters } from '../schema/patterns.ts'

/** A match whose paths are parsed. */
export interface ReadMatch {
  /** Why a request does not match; undefined if it does. */
  readonly mismatch: (request: Matchable) => string | undefined
  /** Whether requests about a task are matched by the body that created it. */
  readonly needsTaskBody: boolean
}

/** @param operations those that it may match; without them, `needsTaskBody` is not known. */
export function readMatch(match: RuleMatch, operations?: OperationTable): ReadMatch {
  const patterns = [match.op ?? '*'].flat()
  const roles = match.role === undefined ? undefined : [match.role].flat()
  const paths = Object.entries(match.body ?? {}).map(([path, wanted]) => ({
    path,
    steps: readPath(path)!,
    wanted,
  }))
  const headers = Object.entries(match.headers ?? {}).map(([name, wanted]) => ({
    name: name.toLowerCase(),
    wanted,
  }))
  const fields =
    match.form && Object.entries(match.form).map(([name, wanted]) => ({ name, wanted: inForm(wanted) }))
  const queries = Object.entries(match.query ?? {})
  const { model, prompt, key, namespace, state, task } = match

  function mismatch(request: Matchable): string | undefined {
    if (!patterns.some((pattern) => fitsGlob(pattern, request.operationName))) return 'another operation'
    if (roles && !roles.includes(request.role)) return 'its operation has another role'
    if (model !== undefined && !fitsGlob(model, request.model ?? '')) return 'another model'
    if (prompt !== undefined && !fitsGlob(prompt, request.prompt ?? '')) return 'another prompt'
    const otherTask = task && mismatchOfTask(task, request.task)
    if (otherTask !== undefined) return otherTask
    if (key !== undefined && !fitsValue(key, [request.keyName, request.accountName])) return 'another key'
    if (namespace !== undefined && !fitsValue(namespace, [request.namespaceName])) return 'another namespace'
    if (state !== undefined && !fitsValue(state, asList(request.state))) return 'the task is in another state'
    for (const { path, steps, wanted } of paths) {
      if (!fitsValue(wanted, valuesAt(request.body, steps))) return `${path} of the body is another`
    }
    if (fields && !isForm(request.header('content-type'))) return 'it is no form'
    for (const { name, wanted } of fields ?? []) {
      const values = Object.hasOwn(request.body, name) ? [request.body[name]].flat() : []
      if (!fitsValue(wanted, values)) return `${name} of the form is another`
    }
    for (const { name, wanted } of headers) {
      if (!fitsValue(wanted, asList(request.header(name) || undefined)))
        return `the header ${name} is another`
    }
    if (queries.length === 0) return undefined
    const query = new URLSearchParams(request.query)
    const other = queries.find(([name, wanted]) => !fitsValue(wanted, query.getAll(name)))
    return other && `${other[0]} of the query is another`
  }

  return {
    mismatch,
    needsTaskBody:
      paths.length > 0 &&
      operations !== undefined &&
      operations.selectedBy(match).some((name) => operations.aboutTasksWithoutBody.includes(name)),
  }
}

const isForm = (contentType: string): boolean =>
  /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(contentType)

/** Converts a value match for forms, whose fields are texts. */
function inForm(wanted: ValueMatch): ValueMatch {
  if (typeof wanted !== 'object' || wanted === null) return wanted === null ? null : String(wanted)
  if ('not' in wanted) return { not: inForm(wanted.not) }
  if ('equals' in wanted) return { equals: wanted.equals === null ? null : String(wanted.equals) }
  return 'in' in wanted ? { in: wanted.in.map((each) => (each === null ? null : String(each))) } : wanted
}

/** Why a request is about another task; undefined if it is about the right one. */
function mismatchOfTask({ nth, prompt, model }: TaskMatch, task: Matchable['task']): string | undefined {
  if (!task) return 'it is about no task'
  if (nth !== undefined && !(task.nth !== undefined && [nth].flat().includes(task.nth)))
    return `it is about task ${task.nth ?? 'unknown'}, not ${[nth].flat().join(' or ')}`
  if (prompt !== undefined && !fitsGlob(prompt, task.prompt ?? '')) return 'its task has another prompt'
  return model !== undefined && !fitsGlob(model, task.model ?? '') ? 'its task has another model' : undefined
}

function asList(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value]
}

/** Whether one of the values matches. An empty list stands for a missing value. */
export function fitsValue(wanted: ValueMatch, values: readonly unknown[]): boolean {
  if (typeof wanted !== 'object' || wanted === null) return values.some((value) => isSame(wanted, value))
  if ('exists' in wanted) return wanted.exists === values.length > 0
  if ('not' in wanted) return !fitsValue(wanted.not, values)
  return values.some((value) => fitsOne(wanted, value))
}

type Plain = Exclude<ValueMatch, Scalar | null | { exists: boolean } | { not: ValueMatch }>

function fitsOne(wanted: Plain, value: unknown): boolean {
  if ('equals' in wanted) return isSame(wanted.equals, value)
  if ('in' in wanted) return wanted.in.some((one) => isSame(one, value))
  if (value === null || typeof value === 'object' || value === undefined) return false
  const text = String(value).slice(0, maxMatchedCharacters)
  if ('glob' in wanted) return fitsGlob(wanted.glob, text)
  if ('contains' in wanted) return text.includes(wanted.contains)
  return fitsPattern(wanted.regex, text, wanted.flags)
}

function isSame(wanted: Scalar | null, value: unknown): boolean {
  return wanted === value
}

/** Whether a match has a regular expression. */
export function needsPatterns(wanted: ValueMatch): boolean {
  if (typeof wanted !== 'object' || wanted === null) return false
  return 'regex' in wanted || ('not' in wanted && needsPatterns(wanted.not))
}
