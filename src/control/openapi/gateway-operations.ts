import { schemaOf } from '../../apis/schemas.ts'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { refusalName, type DescribedOperation } from './described-operation.ts'

/** The operations of the gateway, one for each method. */
export function gatewayOperations(operations: OperationTable): DescribedOperation[] {
  return operations.names.flatMap((operation) => {
    const facts = operations.find(operation)!
    const words = facts.route.split(' ')
    const path = words.at(-1)!
    return words.slice(0, -1).map((method) => describeOperation(operation, facts, { method, path }))
  })
}

function describeOperation(
  operation: string,
  { access, aliases, option }: OperationFacts,
  { method, path }: { method: string; path: string },
): DescribedOperation {
  const { api, schema } = schemaOf(operation)
  const { summary, query, headers, body, takesForm, answer } = schema
  const withKey = [{ key: [] }, ...(api.keys ? otherKeys[api.keys] : [])]
  return {
    id: method === 'HEAD' ? `${operation}.head` : operation,
    method: method.toLowerCase(),
    path,
    tag: api.title,
    summary,
    description:
      `The operation \`${operation}\`.` +
      (option === undefined ? '' : ` Served only with the option \`${option}\`.`),
    // A signed link needs no key.
    security: access === 'public' ? [] : operation === 'video.content' ? [...withKey, {}] : withKey,
    ...(query && { query }),
    ...(headers && { headers }),
    parameters: ['GatewayNamespace'],
    ...(body && { body }),
    bodyTypes: body ? ['application/json', ...(takesForm ? ['multipart/form-data'] : [])] : [],
    answer,
    refusal: refusalName(api.title),
    extensions: {
      'x-greenroom-operation': operation,
      ...(aliases && { 'x-greenroom-aliases': aliases }),
      ...(option !== undefined && { 'x-greenroom-option': option }),
    },
  }
}

const otherKeys = {
  native: [{ nativeKey: [] }, { nativeQueryKey: [] }],
  models: [{ nativeKey: [] }, { nativeQueryKey: [] }, { modelsKey: [] }],
  messages: [{ modelsKey: [] }],
  drawing: [{ drawingKey: [] }],
}
