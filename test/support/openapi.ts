import { Ajv2020 } from 'ajv/dist/2020.js'
import { apis, shippedOperations } from '../../src/apis/index.ts'
import type { Api } from '../../src/apis/define/api.ts'
import { createDocument } from '../../src/control/openapi/document.ts'

type Json = Readonly<Record<string, unknown>>

export interface Operation {
  readonly operationId: string
  readonly security: readonly Json[]
  readonly requestBody?: { readonly content: Json }
  readonly responses: Readonly<Record<string, Json>>
  readonly 'x-greenroom-operation'?: string
  readonly 'x-greenroom-aliases'?: readonly string[]
}

/** The document as clients get it. */
export const document = JSON.parse(JSON.stringify(createDocument(shippedOperations, apis, '/'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Json>>; readonly securitySchemes: Json }
}

/** The operations whose requests are read by the form that the document shows. */
export const operationsWithForm: ReadonlySet<string> = new Set(
  apis.flatMap(({ operations }: Api) => operations.flatMap(({ name, form }) => (form ? name : []))),
)

/** All operations with the pointer to each in the document. */
export const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation,
    pointer: `#/paths/${escape(path)}/${method}`,
  })),
)

export function escape(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Objects that say nothing of other fields have no others: so that a field without a schema is found. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, close(each)]))
  const isOpen = closed['type'] === 'object' && closed['properties'] && !('additionalProperties' in closed)
  return isOpen ? { ...closed, additionalProperties: false } : closed
}

// Optimizing its code takes longer than running it as often as tests do.
const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, code: { optimize: false } })
ajv.addSchema(close(document) as Json, 'openapi')

/** What is wrong with a value by the schema at a pointer of the document; empty if nothing is. */
export function mistakes(pointer: string, value: unknown): string[] {
  const check = ajv.getSchema(`openapi${pointer}`)
  if (!check) throw new Error(`There is no schema at ${pointer}.`)
  check(value)
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** The operation that serves a request; undefined for a path that is not served. */
export function findDescribed(method: string, target: string): (typeof described)[number] | undefined {
  const path = target.split('?', 1)[0]!
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const candidates = described.filter(
    (each) =>
      each.method === method && [each.path, ...(each.operation['x-greenroom-aliases'] ?? [])].some(fits),
  )
  // A path without parameters comes first (OpenAPI 3.1 §4.8.8.2).
  return candidates.find((each) => each.path === path) ?? candidates.toSorted(byVerb)[0]
}

/** `{model}:generateContent` comes before `{model}`. */
function byVerb(a: { path: string }, b: { path: string }): number {
  return Number(b.path.includes('}:')) - Number(a.path.includes('}:'))
}

/** What is wrong with a response, by the description of its operation. */
export function responseMistakes(
  { operation, pointer }: (typeof described)[number],
  { status, contentType, body }: { status: number; contentType: string; body: string },
): string[] {
  const key = operation.responses[status] ? String(status) : `${String(status)[0]}XX`
  const response = operation.responses[key]
  if (!response) return [`there is no status ${status}`]
  const name = (response['$ref'] as string | undefined)?.split('/').at(-1)
  const place = name === undefined ? `${pointer}/responses/${key}` : `#/components/responses/${name}`
  const content = (name === undefined ? response : document.components.responses[name]!)['content'] as
    | Readonly<Record<string, Json>>
    | undefined
  const type = contentType.split(';', 1)[0]!
  if (type === '') return body === '' ? [] : ['there is a body without a type']
  if (!content?.[type]) return [`there is no type ${type} with status ${status}`]
  if (!content[type]['schema']) return []
  const schema = `${place}/content/${escape(type)}/schema`
  return valuesOf(type, body).flatMap((value) => mistakes(schema, value))
}

/** A text, a JSON value, or the data of each event. */
function valuesOf(type: string, body: string): unknown[] {
  if (type === 'application/json') return [JSON.parse(body)]
  if (type !== 'text/event-stream') return [body]
  const data = [...body.matchAll(/^data: (.*?)\r?$/gm)].map(([, text]) => text!)
  return data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as unknown)
}
