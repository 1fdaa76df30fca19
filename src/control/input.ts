import { parseDuration } from '../engine/clock/duration.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import { participantName } from '../engine/clock/participants.ts'
import type { JsonObject, JsonValue } from '../gateway/bodies/json.ts'
import { ControlError, type AdvanceTarget } from './control.ts'

/**
 * Refuses unknown fields of a control API call, with a suggestion.
 * @throws {ControlError} 400
 */
export function requireFields(body: JsonObject, known: readonly string[], example: string): void {
  for (const name of Object.keys(body)) {
    if (known.includes(name)) continue
    throw new ControlError(
      400,
      `Unknown field ${JSON.stringify(name)}.${didYouMean(name, known)} Send ${example}.`,
    )
  }
}

/** Exactly one of `by`, `to` and `until`. */
export function readAdvance(body: JsonObject): AdvanceTarget {
  const example =
    '{"by": "30s"}, {"to": "2030-01-01T00:05:00Z"} or {"until": {"task": "task_…", "status": "SUCCESS"}}'
  requireFields(body, ['by', 'to', 'until'], example)
  const { by, to, until } = body
  const given = [by, to, until].filter((value) => value !== undefined)
  if (given.length !== 1) throw new ControlError(400, `Give one of "by", "to" and "until". Send ${example}.`)
  if (by !== undefined) return { by: readDuration('by', by) }
  if (to !== undefined) return { to: readInstant(to) }
  return { until: readUntil(until!, example) }
}

/** A duration such as `"5s"`, or milliseconds. */
export function readDuration(name: string, value: JsonValue | undefined): number {
  if (typeof value === 'string' || typeof value === 'number') return parseDuration(value)
  throw new ControlError(
    400,
    `"${name}" must be a duration such as "5s", or milliseconds, not ${show(value)}.`,
  )
}

/** The optional duration `for`. */
export function readFor(body: JsonObject): { forMs?: number } {
  return body['for'] === undefined ? {} : { forMs: readDuration('for', body['for']) }
}

/** The name of a sleeper, holder or participant. */
export function readName(body: JsonObject, example: string): string {
  const name = readText('as', body['as'], example)
  if (participantName.test(name)) return name
  throw new ControlError(
    400,
    `"as" must be a name of 1 to 64 letters, digits or . : @ / - _, not ${show(name)}. Send ${example}.`,
  )
}

export function readText(name: string, value: JsonValue | undefined, example: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ControlError(400, `"${name}" must be a text, not ${show(value)}. Send ${example}.`)
}

function readInstant(value: JsonValue): number {
  const instant = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : NaN
  if (Number.isFinite(instant)) return Math.round(instant)
  throw new ControlError(400, `"to" must be an ISO date or milliseconds since 1970, not ${show(value)}.`)
}

function readUntil(value: JsonValue, example: string): { task: string; status: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(400, `"until" must be an object, not ${show(value)}. Send ${example}.`)
  }
  requireFields(value, ['task', 'status'], example)
  return {
    task: readText('until.task', value['task'], example),
    status: readText('until.status', value['status'], example),
  }
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60)
}
