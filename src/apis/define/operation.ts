import type * as z from 'zod/mini'
import { isJson, type JsonObject } from '../../gateway/bodies/json.ts'
import { once } from '../../engine/once.ts'
import type { Core } from '../../gateway/core.ts'
import type { Exchange, NamedTask, Route } from '../../gateway/exchange.ts'
import type { PlannedRoute } from '../../gateway/lazy-router.ts'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { Form } from './form.ts'
import type { OperationDetails } from './operation-schema.ts'

/** What rules and the journal know of a request. */
export type Description = ReturnType<NonNullable<Route['describe']>>

/** What rules and the journal know of a request, as far as its model and its prompt are texts. */
export function describeRequest(model: unknown, prompt: unknown): Description {
  return {
    model: typeof model === 'string' ? model : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
  }
}

/**
 * What an operation does.
 *
 * @typeParam Fields what its form reads.
 */
export interface Behaviour<Prepared, Input, Fields = unknown> extends Pick<
  Route<Prepared, Input>,
  | 'prefixes'
  | 'keys'
  | 'credential'
  | 'opensWithoutKey'
  | 'refuse'
  | 'malformed'
  | 'prepare'
  | 'directives'
  | 'directiveUsage'
  | 'respond'
  | 'describe'
  | 'before'
  | 'callback'
  | 'idempotency'
> {
  /** For an operation with a task. */
  readonly task?: Pick<NamedTask, 'inBody' | 'namedBy' | 'mayMiss' | 'unknown' | 'isOwnersOnly'>
  /** Refuses a request before its fields are checked, such as one for a model that is not offered. */
  readonly check?: (x: Exchange) => void
  /** Checks the request beyond its form. Has no effects: a rule may respond instead. */
  readonly parse?: (x: Exchange & { prepared: Prepared }, fields: Fields) => Input
  /** Puts the refusals of the form and of `parse` into an envelope. */
  readonly guard?: <T>(run: () => T) => T
}

/**
 * What is known of an operation without its code: name, facts and form. A request that the form refuses never reaches `parse`.
 */
export type NamedFacts<Name extends string, Schema extends z.ZodMiniType = z.ZodMiniType> = OperationFacts & {
  readonly name: Name
  readonly form?: Form<Schema> | undefined
  /** What it does, in a few words. */
  readonly summary: string
  /** What the OpenAPI document needs in addition to the golden exchanges. Only the document calls it. */
  readonly schema?: () => OperationDetails
}

/** One operation: its name, its facts, the form of its requests, and how a simulator makes what serves it. */
export interface Operation<Name extends string = string> extends PlannedRoute<Route> {
  readonly name: Name
  readonly facts: OperationFacts
  readonly form?: Form
  readonly summary: string
  readonly schema: () => OperationDetails
}

/**
 * Defines an operation: everything about it, in one file.
 *
 * @param facts its name, which survives a change of path, what is known of it without its code, and its form.
 * @param behave returns what it does, by the settings of a simulator.
 */
export function defineOperation<const Name extends string, Prepared, Input, Schema extends z.ZodMiniType>(
  { name, form, summary, schema, ...facts }: NamedFacts<Name, Schema>,
  behave: (core: Core) => Behaviour<Prepared, Input, z.output<Schema>>,
): Operation<Name> {
  const known = knownOf(name, facts)
  const { methods, path, aliases } = known.route
  return {
    name,
    facts,
    methods,
    path,
    ...(aliases && { aliases }),
    ...(facts.match && { match: facts.match }),
    ...(form && { form }),
    summary,
    schema: once(schema ?? (() => ({}))),
    createRoute: (core) => toRoute(known, form, behave(core)),
  }
}

/** What the facts of an operation say of its routes, which all simulators have in common. */
interface KnownPart {
  readonly route: Pick<Route, 'operation' | 'methods' | 'path' | 'role' | 'tasks' | 'aliases' | 'isPublic'>
  /** For a route with a task. */
  readonly task: Pick<NamedTask, 'parameter' | 'inQuery' | 'lifecycle' | 'looks'>
}

function knownOf(
  operation: string,
  { route, role, aliases, tasks, task: named, taskInQuery, access }: OperationFacts,
): KnownPart {
  const words = route.split(' ')
  return {
    route: {
      operation,
      methods: words.slice(0, -1),
      path: words.at(-1)!,
      role,
      ...(tasks !== undefined && { tasks }),
      ...(aliases && { aliases }),
      ...(access === 'public' && { isPublic: true }),
    },
    task: {
      ...(taskInQuery !== undefined && { inQuery: taskInQuery }),
      ...(named !== 'body' && taskInQuery === undefined && { parameter: named! }),
      lifecycle: tasks!,
      looks: role === 'poll',
    },
  }
}

function toRoute<Prepared, Input, Schema extends z.ZodMiniType>(
  known: KnownPart,
  form: Form<Schema> | undefined,
  { task, check, parse, guard, ...behaviour }: Behaviour<Prepared, Input, z.output<Schema>>,
): Route {
  const read = (x: Exchange & { prepared: Prepared }): Input =>
    parse!(x, form ? readFields(form, x) : (undefined as z.output<Schema>))
  const result: Route<Prepared, Input> = {
    ...behaviour,
    ...(parse && {
      parse: (x) => {
        check?.(x)
        return guard ? guard(() => read(x)) : read(x)
      },
    }),
    ...known.route,
    ...(task && {
      task: {
        ...task,
        // A request that is wrong in itself is refused as such, even if its task is missing.
        ...(form &&
          task.inBody && {
            unknown: (body) => {
              form.read(body)
              return task.unknown(body)
            },
          }),
        ...known.task,
      },
    }),
  }
  return result as unknown as Route
}

function readFields<Schema extends z.ZodMiniType>(form: Form<Schema>, x: Exchange): z.output<Schema> {
  if (form.isQuery) return form.read(queryOf(x))
  return form.read(x.body, form.takesMultipart && !isJson(x.header('content-type')))
}

/** The parameters of a query. One without a value counts as missing. */
function queryOf({ query }: Exchange): JsonObject {
  const entries = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  // Of several values, the first counts.
  return Object.fromEntries(entries.toReversed())
}
