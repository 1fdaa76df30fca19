import { readPath, valuesAt } from '../../scenario/schema/body-path.ts'
import {
  fillHeader,
  fillJson,
  fillText,
  hasTemplates,
  type TemplateValues,
} from '../../scenario/schema/templates.ts'
import type { Respond, Scalar } from '../../scenario/vocabulary/types.ts'
import type { Exchange } from '../exchange.ts'
import { submittedBody } from '../matchable.ts'

/** Fills the templates in the body, the fields and the headers of a rule's response. */
export function fillTemplates(respond: Respond, x: Exchange): Respond {
  const { body, set, headers } = respond
  if (!hasTemplates(JSON.stringify([body, set, headers]))) return respond
  const values = templateValues(x)
  const filled = Object.entries(headers ?? {}).map(([name, value]) => [name, fillHeader(value, values)])
  return {
    ...respond,
    ...(headers && { headers: Object.fromEntries(filled) as Record<string, string> }),
    ...(body !== undefined && {
      body: typeof body === 'string' ? fillText(body, values) : fillJson(body, values),
    }),
    ...(set && { set: fillJson(set, values) as NonNullable<Respond['set']> }),
  }
}

/** Sets variables whose values are templates, for the rules that fired. */
export function fillVariables(x: Exchange): void {
  const { sets = [] } = x.decision
  if (sets.length === 0) return
  const values = templateValues(x)
  for (const each of sets) x.core.rules.variables.set(x.namespace.name, toScalars(fillJson(each, values)))
}

/** An object or a list becomes its JSON. If a template has no value, the variable is removed. */
function toScalars(filled: unknown): Record<string, Scalar | null> {
  return Object.fromEntries(
    Object.entries(filled as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Scalar | null),
    ]),
  )
}

function templateValues(x: Exchange): TemplateValues {
  const { entry, namespace, now, core, request } = x
  // A submission has created its task before its headers are filled.
  const task = x.task ?? (entry.task === null ? undefined : core.tasks.find(entry.task))
  const made = task?.record.request
  const view = task && core.tasks.view(task, now)
  const fixed: Readonly<Record<string, unknown>> = {
    'task.id': task?.id,
    'task.nth': task?.record.nth,
    'task.model': made?.['model'],
    'task.prompt': made?.['prompt'],
    'task.state': view?.state,
    'task.progress': view?.progress,
    model: x.model ?? made?.['model'],
    prompt: x.prompt ?? made?.['prompt'],
    operation: entry.operation,
    namespace: namespace.name,
    attempt: x.attempt + 1,
    now: new Date(now).toISOString(),
    'now.seconds': Math.floor(now / 1_000),
    'now.ms': now,
    'request.id': entry.requestId,
    'request.method': request.method,
    'request.path': x.path,
  }
  const body = x.task && !x.route!.prepare ? submittedBody(x.task) : x.body
  return (name) => {
    if (Object.hasOwn(fixed, name)) return fixed[name]
    const dot = name.indexOf('.')
    const rest = name.slice(dot + 1)
    switch (name.slice(0, dot)) {
      case 'body':
        return valuesAt(body, readPath(rest) ?? [])[0]
      case 'headers':
        return x.header(rest.toLowerCase()) || undefined
      case 'query':
        return new URLSearchParams(x.query).get(rest) ?? undefined
      default:
        return core.rules.variables.get(namespace.name, rest)
    }
  }
}
