import * as z from 'zod/mini'
import { didYouMean, nearest } from '../../engine/did-you-mean.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { findUnknownKey, keysOf } from '../../scenario/schema/schema-walk.ts'
import { ControlError, controlPrefix, type ControlRoute } from '../route.ts'
import { anyObject, integer, optionalText, type AnswerSchema } from '../../apis/operation-schema.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { ruleSchema } from '../../scenario/vocabulary/rule-schema.ts'
import type { Health, NamespaceSummary } from '../control.ts'
import {
  instant,
  duration,
  moment,
  task,
  hold,
  clock,
  entryFields,
  entry,
  explained,
  message,
  usage,
  rule,
  invariant,
  snapshot,
  event,
  type FieldsOf,
} from './control-values.ts'

/** What a control call takes and returns, for the OpenAPI document. */
export interface ControlSchema {
  readonly query?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  /** Whether the body is any text. */
  readonly takesText?: true
  readonly answer: AnswerSchema
}

/** The body of a call that takes none. */
const noFields = z.object({})

const as = z.string()
const moved = { now: instant, time: z.string() }
const cleared = { answer: { json: z.object({ cleared: z.array(z.string()) }) } }
const mediaBytes = { bytes: ['video/mp4', 'video/webm', 'image/png', 'image/jpeg', 'image/webp'] }

/** By method and path. */
export const controlSchemas: Readonly<Record<string, ControlSchema>> = {
  'GET ': {
    answer: {
      json: z.object({
        greenroom: z.string(),
        namespaces: z.string(),
        calls: z.array(z.object({ call: z.string(), does: z.string() })),
      }),
    },
  },
  'GET /health': {
    answer: {
      json: named(
        'Health',
        z.partial(
          z.object({
            ready: z.literal(true),
            version: z.string(),
            node: z.string(),
            seed: z.string(),
            encoder: z.object({
              candidate: z.string(),
              verified: z.boolean(),
              version: optionalText,
              reason: optionalText,
            }),
            namespaces: integer,
          } satisfies FieldsOf<Health>),
          { version: true, node: true, seed: true, encoder: true, namespaces: true },
        ),
        'Versions, seed and encoder. Without the control token only `ready`.',
      ),
    },
  },
  'GET /openapi.json': { answer: { json: anyObject } },
  'GET /metrics': { answer: { texts: ['text/plain'] } },
  'GET /namespaces': {
    answer: {
      json: z.array(
        z.object({
          name: z.string(),
          tasks: integer,
          requests: integer,
          mode: z.string(),
          now: instant,
        } satisfies FieldsOf<NamespaceSummary>),
      ),
    },
  },
  'GET /verdict': { answer: { json: z.looseObject({ invariants: z.array(invariant) }) } },
  'DELETE /journal': cleared,
  'DELETE /tasks': cleared,
  'POST /reset': cleared,
  'GET /clock': { answer: { json: clock } },
  'PUT /clock': {
    body: z.object({
      mode: z.enum(['real', 'scaled', 'manual', 'auto']),
      rate: may(z.number(), 'Virtual seconds in one of the host.', 60),
    }),
    answer: { json: clock },
  },
  'POST /clock/advance': {
    body: z.object({
      by: may(duration, 'A duration. Give one of the three.', '30s'),
      to: may(moment, 'An ISO date, or milliseconds since 1970.'),
      until: may(z.object({ task: z.string(), status: z.string() }), 'Until a task has a status.'),
    }),
    answer: { json: z.object({ ...moved, wokenCount: integer }) },
  },
  'POST /clock/sleep': {
    body: z.object({ for: must(duration, 'A duration.', '5s'), as: z.optional(as) }),
    answer: { json: z.object(moved) },
  },
  'POST /clock/deadline': {
    body: z.object({ for: must(duration, 'A duration.', '30s'), as: z.optional(as) }),
    answer: { json: z.object(moved) },
  },
  'GET /clock/agent': { answer: { json: z.object({ protocol: integer, namespace: z.string() }) } },
  'POST /clock/hold': {
    body: z.object({ as: z.optional(as), for: may(duration, 'Default 30 seconds of the host.', '30s') }),
    answer: { json: hold },
  },
  'PUT /clock/hold/{id}': { body: z.object({ for: z.optional(duration) }), answer: { json: hold } },
  'DELETE /clock/hold/{id}': { answer: { json: z.object({ released: z.string() }) } },
  'POST /clock/join': { body: z.object({ as }), answer: { json: clock } },
  'POST /clock/leave': { body: z.object({ as: z.optional(as) }), answer: { json: clock } },
  'GET /tasks': {
    query: z.object({ last: may(integer, 'Only this many of the latest.') }),
    answer: { json: z.array(task) },
  },
  'GET /tasks/{id}': { answer: { json: task } },
  'POST /tasks/{id}/transition': {
    body: z.object({ status: z.string(), reason: optionalText }),
    answer: { json: task },
  },
  'POST /tasks/{id}/end': {
    body: z.object({
      status: z.string(),
      reason: optionalText,
      in: may(duration, 'A duration from now. Give `in` or `at`.', '30s'),
      at: may(z.nullable(moment), 'An ISO date, or null for never.'),
    }),
    answer: { json: task },
  },
  'GET /tasks/{id}/media': { answer: mediaBytes },
  'GET /tasks/{id}/poster': {
    query: z.object({ w: may(integer, 'Pixels of its longer side. Default 320.') }),
    answer: mediaBytes,
  },
  'GET /usage': { answer: { json: z.array(usage) } },
  'GET /journal': {
    query: z.object({
      operation: may(z.string(), 'An operation, or several by `*`.', 'video.*'),
      task: may(z.string(), 'The id of a task.'),
      status: may(integer, 'Of the response.'),
      outcome: may(entryFields.outcome, 'How it ended.'),
      last: may(integer, 'Only this many of the latest.'),
    }),
    answer: { json: z.array(entry) },
  },
  'GET /journal/{number}': { answer: { json: explained } },
  'GET /journal/{number}/exchange': {
    answer: { json: z.object({ request: message, reply: z.nullable(message) }) },
  },
  'GET /rules': { answer: { json: z.array(rule) } },
  'POST /rules': { body: ruleSchema, answer: { json: z.object({ id: z.string() }) } },
  'DELETE /rules/{id}': { answer: { json: z.object({ removed: z.string() }) } },
  'POST /next': {
    body: named(
      'NextRequest',
      z.looseObject({ op: must(z.string(), 'An operation, or several by `*`.', 'video.poll') }),
      'What happens to the next request: `op`, and the fields of a rule other than `match`.',
    ),
    answer: { json: z.object({ id: z.string() }) },
  },
  'GET /snapshot': { answer: { json: snapshot } },
  'PUT /snapshot': {
    body: snapshot,
    answer: { json: z.object({ namespaces: z.array(z.string()), tasks: integer }) },
  },
  'GET /scenario': {
    answer: {
      json: z.object({ text: z.string(), notes: z.array(z.string()) }),
      texts: ['text/yaml'],
    },
  },
  'POST /scenario/check': {
    takesText: true,
    answer: { json: z.object({ ok: z.boolean(), message: optionalText }) },
  },
  'GET /events': { answer: { events: event } },
  'POST /session': {
    body: z.object({ token: z.string() }),
    answer: { json: z.object({ session: z.string() }) },
  },
}

/**
 * Refuses query parameters and body fields that are not in the schemas of a call: with one of them misspelled, a call would do
 * more than was meant.
 * @throws {ControlError} 400
 */
export function checkNames(
  { path, does }: Pick<ControlRoute<never>, 'path' | 'does'>,
  method: string,
  { query, body }: { query: URLSearchParams; body: JsonObject },
): void {
  const schema = controlSchemas[`${method} ${path.slice(controlPrefix.length)}`]
  const parameters = [...Object.keys(schema?.query?.shape ?? {}), 'namespace']
  const fields = schema?.body ?? noFields
  const can = method === 'GET' ? '' : ` This call can ${does}.`
  for (const name of query.keys()) {
    if (parameters.includes(name)) continue
    const elsewhere = keysOf(fields)?.includes(name) ? ` "${name}" is a field of the body.` : ''
    throw unknownName('query parameter', name, parameters, elsewhere + can)
  }
  const unknown = findUnknownKey(fields, body)
  if (!unknown) return
  const { key, known } = unknown
  const parameter = nearest(key, known) === undefined && nearest(key, parameters)
  const elsewhere = parameter ? ` Did you mean the query parameter: ?${parameter}=…?` : ''
  throw unknownName('field', key, known, elsewhere + can)
}

function unknownName(what: string, name: string, known: readonly string[], advice: string): ControlError {
  const list = known.length === 0 ? 'none' : known.join(', ')
  const given = JSON.stringify(name.slice(0, 60))
  return new ControlError(400, `Unknown ${what} ${given}.${didYouMean(name, known)} Known: ${list}.${advice}`)
}
