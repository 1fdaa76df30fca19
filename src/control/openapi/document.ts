import type * as z from 'zod/mini'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { describeApi } from '../../apis/define/answers/describe-api.ts'
import type { Api } from '../../apis/define/api.ts'
import type { AnswerSchema, DescribedApi } from '../../apis/define/operation-schema.ts'
import { version } from '../../version.ts'
import {
  controlErrorSchema,
  controlOperations,
  refusalName,
  type DescribedOperation,
  gatewayOperations,
} from './operations.ts'
import { toJsonSchemas, type JsonSchema, type JsonSchemas } from './json-schemas.ts'

/** The schemas of all requests and responses. */
function schemasIn(
  operations: readonly DescribedOperation[],
  apis: readonly DescribedApi[],
  served: OperationTable,
): JsonSchemas {
  const schemas = new Set<z.ZodMiniType>([controlErrorSchema, ...apis.map(({ error }) => error)])
  for (const { query, headers, body, answer } of operations)
    for (const schema of [query, headers, body, answer.json, answer.events]) if (schema) schemas.add(schema)
  return toJsonSchemas(schemas, served)
}

/**
 * The OpenAPI 3.1 document of all operations of the gateway and all control calls. Operations, paths and access come from
 * the tables that serve them. Operations that need an option are included.
 * @param served the operations of the simulator.
 * @param all their APIs.
 * @param server the URL to which the paths are relative.
 */
export function createDocument(
  served: OperationTable,
  all: readonly Api[],
  server: string,
): Readonly<Record<string, unknown>> {
  const apis = all.map(describeApi)
  const operations = [...gatewayOperations(served, apis), ...controlOperations()]
  const schemas = schemasIn(operations, apis, served)
  const paths: Record<string, Record<string, unknown>> = {}
  const webhooks: Record<string, Record<string, unknown>> = {}
  for (const each of operations)
    if (each.path.startsWith('/')) (paths[each.path] ??= {})[each.method] = describe(each, schemas)
    else webhooks[each.id] = { [each.method]: describeCallback(each, schemas) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'greenroom',
      version,
      description:
        'A local simulator of an asynchronous generation gateway: videos, drawings and texts. Rules of a scenario may ' +
        'change any response. Operations with `x-greenroom-option` are served only if that option is set; those with ' +
        '`x-greenroom-aliases` have other paths, too.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'greenroom' },
    },
    servers: [{ url: server }],
    tags: [
      ...apis.map(({ title, description }) => ({ name: title, description })),
      { name: 'Control', description: 'Time, tasks, rules and the journal of the simulator.' },
    ],
    paths,
    webhooks,
    components: {
      schemas: schemas.named,
      responses: {
        ...Object.fromEntries(
          apis.map(({ title, isGateways, error }) => [
            refusalName(title),
            refusal(
              title,
              isGateways ? Object.keys(headers) : ['Retry-After', 'X-Greenroom-Hint'],
              schemas.of(error),
            ),
          ]),
        ),
        [refusalName('Control')]: refusal('Control', [], schemas.of(controlErrorSchema)),
      },
      headers,
      parameters,
      securitySchemes: {
        key: bearer('A key. Without configured keys, any text that starts with sk-.'),
        ...Object.fromEntries(
          apis.flatMap(({ keys = [] }) => keys.map(({ id, ...place }) => [id, { type: 'apiKey', ...place }])),
        ),
        controlToken: bearer('The control token, if the server was started with one.'),
      },
    },
  }
}

function refusal(title: string, names: readonly string[], schema: JsonSchema): unknown {
  return {
    description: `A refusal in the form of: ${title}.`,
    headers: headerRefs(names),
    content: { 'application/json': { schema } },
  }
}

function describe(operation: DescribedOperation, schemas: JsonSchemas): unknown {
  const { id, tag, summary, description, security, query, body, bodyTypes, answer, refusal } = operation
  const refused = { $ref: `#/components/responses/${refusal}` }
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security,
    parameters: [
      ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name!)),
      ...(query ? schemas.fieldsOf(query).map((field) => parameter('query', field)) : []),
      ...(operation.headers
        ? schemas.fieldsOf(operation.headers).map((field) => parameter('header', field))
        : []),
      ...operation.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(bodyTypes.length > 0 && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          bodyTypes.map((type) => [type, { schema: body ? schemas.of(body) : { type: 'string' } }]),
        ),
      },
    }),
    responses: { ...successes(operation, answer, schemas), '4XX': refused, '5XX': refused },
    ...operation.extensions,
  }
}

/** A callback: it goes to a URL that the client named (`{notifyHook}`), so it has no path here. OpenAPI 3.1 §4.8.1. */
function describeCallback(operation: DescribedOperation, schemas: JsonSchemas): unknown {
  const { id, tag, summary, description, answer, extensions } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [],
    requestBody: { required: true, content: contentOf(answer, schemas) },
    responses: { '2XX': { description: 'The receiver took it.' }, '4XX': { description: 'It did not.' } },
    ...extensions,
  }
}

function contentOf(
  { json, example, events, bytes = [], texts = [] }: AnswerSchema,
  schemas: JsonSchemas,
): object {
  return {
    ...(json && {
      'application/json': { schema: schemas.of(json), ...(example !== undefined && { example }) },
    }),
    ...(events && { 'text/event-stream': { schema: schemas.of(events) } }),
    ...Object.fromEntries(texts.map((type) => [type, { schema: { type: 'string' } }])),
    // OpenAPI 3.1 §4.8.14.2 needs no schema for bytes, but client generators do.
    ...Object.fromEntries(bytes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  }
}

const gatewayHeaders = ['X-Oneapi-Request-Id', 'X-New-Api-Version', 'X-Greenroom-Hint']

function successes(
  { tag, isGateways, method }: DescribedOperation,
  answer: AnswerSchema,
  schemas: JsonSchemas,
): Readonly<Record<string, unknown>> {
  const { events, others = {} } = answer
  const sent = method === 'head' ? {} : { content: contentOf(answer, schemas) }
  const common = headerRefs(tag === 'Control' ? [] : isGateways ? gatewayHeaders : ['X-Greenroom-Hint'])
  const description = events
    ? 'The answer. With events, the schema is that of the data of one event.'
    : 'The answer.'
  return {
    '200': { description, headers: common, ...sent },
    ...Object.fromEntries(
      Object.entries(others).map(([status, means]) => [
        status,
        { description: means, headers: common, ...(status === '206' && sent) },
      ]),
    ),
  }
}

function pathParameter(name: string): unknown {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

function parameter(
  place: 'query' | 'header',
  [name, { description, ...schema }]: readonly [string, JsonSchema],
): unknown {
  return { name, in: place, description, schema }
}

function headerRefs(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const text = { type: 'string' }

const headers = {
  'Retry-After': {
    description: 'When to try again: seconds, or a date. With 429 and 503, if a rate or a rule says so.',
    schema: text,
  },
  'X-Greenroom-Hint': {
    description: 'What the simulator advises: why it refused, or what it ignored.',
    schema: text,
  },
  'X-Oneapi-Request-Id': { description: 'The id of the request.', schema: text },
  'X-New-Api-Version': { description: 'The version of the gateway.', schema: text },
}

const parameters = {
  GatewayNamespace: {
    name: 'X-Greenroom-Namespace',
    in: 'header',
    description: 'The namespace. By default that of the key, or `default`.',
    schema: text,
  },
  ControlNamespace: {
    name: 'namespace',
    in: 'query',
    description: 'The namespace. By default `default`, or all where a call is about all.',
    schema: text,
  },
}

function bearer(description: string): unknown {
  return { type: 'http', scheme: 'bearer', description }
}
