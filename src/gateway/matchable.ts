import type { RequestField, RequestFields, TaskRecord } from '../engine/tasks/plan.ts'
import { requestOf, type Task } from '../engine/tasks/tasks.ts'
import { maxMatchedCharacters } from '../scenario/schema/patterns.ts'
import type { Matchable } from '../scenario/rules/rule.ts'
import type { JsonObject, JsonValue } from './bodies/json.ts'

/** The fields of a task that rules may match, whichever request concerns it. */
export function taskSubject(task: Task): NonNullable<Matchable['task']> {
  const { model, prompt } = requestOf(task)
  const { nth } = task.record
  return {
    ...(nth !== undefined && { nth }),
    ...(typeof model === 'string' && { model }),
    ...(typeof prompt === 'string' && { prompt }),
  }
}

/** The body that created a task, as far as it is known. It is complete only if a rule matches on it. */
export function submittedBody({ record }: Task): RequestFields {
  if (record.body) return record.body
  const { model, prompt } = record.request
  return { ...(model !== undefined && { model }), ...(prompt !== undefined && { prompt }) }
}

/** Prepares a body for a task's record: texts are truncated to the length that rules can match. */
export function bodyForRecord(body: JsonObject): NonNullable<TaskRecord['body']> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, truncateTexts(value)]))
}

function truncateTexts(value: JsonValue | undefined): RequestField {
  if (typeof value === 'string') return value.slice(0, maxMatchedCharacters)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (Array.isArray(value)) return value.map(truncateTexts)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, truncateTexts(each)]))
}

/** A task as a matchable for limits by workers, which match tasks rather than requests. */
export function subjectOfTask(task: Task): Matchable {
  const { record, key = '' } = task
  const made = taskSubject(task)
  const { model, prompt } = made
  return {
    operationName: record.operation,
    role: 'submit',
    namespaceName: record.namespace,
    keyName: key,
    accountName: key,
    subject: record.id,
    attempt: 0,
    now: record.submittedAt,
    elapsedMs: 0,
    body: submittedBody(task),
    header: () => '',
    query: '',
    ...(model !== undefined && { model }),
    ...(prompt !== undefined && { prompt }),
    task: made,
  }
}
