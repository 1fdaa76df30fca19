import type { DescribedApi, OperationSchema, AnswerSchema } from '../../apis/define/operation-schema.ts'
import { nameMatch, type OperationFacts } from '../../engine/operations/facts.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import * as z from 'zod/mini'
import { named } from '../../scenario/schema/fields.ts'
import { controlRoutes, indexRoute } from '../control.ts'
import { sessionPath, sessionRoute } from '../guard.ts'
import { controlPrefix } from '../../gateway/request.ts'
import type { ControlRoute } from '../route.ts'

/** One operation of the document, whichever table it comes from. */
export interface DescribedOperation {
  readonly id: string
  /** In lower case. */
  readonly method: string
  readonly path: string
  readonly tag: string
  /** Whether replies have the headers of the gateway. */
  readonly isGateways: boolean
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly query?: z.ZodMiniObject
  readonly headers?: z.ZodMiniObject
  /** Names of parameters in the components. */
  readonly parameters: readonly string[]
  readonly body?: z.ZodMiniType
  readonly bodyTypes: readonly string[]
  readonly answer: AnswerSchema
  /** The name of the response to a refusal. */
  readonly refusal: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** The name of the response to a refusal, by the title of its API. */
export function refusalName(title: string): string {
  return `${title.replaceAll(' ', '')}Refusal`
}

/** The operations of the gateway, one for each method. */
export function gatewayOperations(
  operations: OperationTable,
  apis: readonly DescribedApi[],
): DescribedOperation[] {
  const schemas = new Map(
    apis.flatMap((api) =>
      Object.entries(api.operations).map(([operation, schema]) => [operation, { api, schema }] as const),
    ),
  )
  return operations.names.flatMap((operation) => {
    const facts = operations.find(operation)!
    const words = facts.route.split(' ')
    // A fragment tells operations of one path apart, as in the documents of AWS.
    const path = words.at(-1)! + nameMatch(facts.match)
    const described = schemas.get(operation)!
    return words
      .slice(0, -1)
      .map((method) => describeOperation(operation, facts, { ...described, method, path }))
  })
}

function describeOperation(
  operation: string,
  { access, aliases, option }: OperationFacts,
  { api, schema, method, path }: { api: DescribedApi; schema: OperationSchema; method: string; path: string },
): DescribedOperation {
  const { summary, form, headers, answer } = schema
  const query = form?.isQuery ? (form.schema as z.ZodMiniObject) : schema.query
  const body = form && !form.isQuery ? form.schema : undefined
  const withKey = [{ key: [] }, ...api.keys.map(({ id }) => ({ [id]: [] }))]
  return {
    id: method === 'HEAD' ? `${operation}.head` : operation,
    method: method.toLowerCase(),
    path,
    tag: api.title,
    isGateways: api.isGateways,
    summary,
    description:
      `The operation \`${operation}\`.` +
      (option === undefined ? '' : ` Served only with the option \`${option}\`.`),
    security: access === 'public' ? [] : access === 'signed' ? [...withKey, {}] : withKey,
    ...(query && { query }),
    ...(headers && { headers }),
    parameters: ['GatewayNamespace'],
    ...(body && { body }),
    bodyTypes: body ? ['application/json', ...(form?.takesMultipart ? ['multipart/form-data'] : [])] : [],
    answer,
    refusal: refusalName(api.title),
    extensions: {
      'x-greenroom-operation': operation,
      ...(aliases && { 'x-greenroom-aliases': aliases }),
      ...(option !== undefined && { 'x-greenroom-option': option }),
    },
  }
}

export const controlErrorSchema = named(
  'ControlRefusal',
  z.object({ error: z.object({ message: z.string() }) }),
  'A refusal of a control call. The message says what to do.',
)

/** All control calls. */
export function controlOperations(): DescribedOperation[] {
  const session = sessionRoute({ hosts: [], origins: [], token: 'nothing' })
  const routes = [indexRoute, ...controlRoutes, { ...session, path: controlPrefix + sessionPath }]
  return routes.flatMap((route) => route.methods.map((method) => describeCall(method, route)))
}

function describeCall(method: string, { path, does, form }: ControlRoute<never>): DescribedOperation {
  const { query, body, takesText, answer } = form()
  const [summary = ''] = does.split(/[:;]/)
  const isSession = path === controlPrefix + sessionPath
  return {
    id: idOf(method, path),
    method: method.toLowerCase(),
    path,
    tag: 'Control',
    isGateways: false,
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    description: does,
    // The token is optional in the document, because a server may have none.
    security: isSession ? [] : [{ controlToken: [] }, {}],
    ...(query && { query }),
    parameters: ['ControlNamespace'],
    ...(body && { body }),
    bodyTypes: body ? ['application/json'] : takesText ? ['text/plain'] : [],
    answer,
    refusal: refusalName('Control'),
    extensions: {},
  }
}

/** `GET /_greenroom/tasks/{id}/media` is `control.getTasksByIdMedia`. */
function idOf(method: string, path: string): string {
  const words = path
    .slice(controlPrefix.length)
    .split(/[/.]/)
    .filter(Boolean)
    .map((word) =>
      word.replace(/^\{(\w)/, (_, letter: string) => `by${letter.toUpperCase()}`).replace('}', ''),
    )
  const parts = words.length === 0 ? ['index'] : words
  return `control.${method.toLowerCase()}${parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}
