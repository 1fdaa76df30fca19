import * as z from 'zod/mini'
import { groupBy } from '../../../engine/group-by.ts'
import type { Api } from '../api.ts'
import type { AnswerSchema, DescribedApi } from '../operation-schema.ts'
import { inferSchema } from './infer-schema.ts'
import { goldens } from './lists.ts'

/**
 * What the OpenAPI document says of an API, and what lint knows of its answers. What an operation doesn't say of its answer comes
 * from its golden exchanges.
 */
export function describeApi(api: Api): DescribedApi {
  const { title, description, error, keys = [], operations, version } = api
  const described = operations.map(({ name, summary, form, schema }) => {
    const { answer, like = name, ...details } = schema()
    const whole = answer?.json ? answer : { ...goldenAnswer(like), ...answer }
    return [name, { ...details, answer: whole, summary, form }] as const
  })
  const refused = error?.() ?? goldenRefusal(operations.map(({ name }) => name))
  const isGateways = version === undefined
  return { title, description, isGateways, error: refused, keys, operations: Object.fromEntries(described) }
}

/** The answer to an operation, by its golden exchanges. */
function goldenAnswer(operation: string): AnswerSchema {
  const { json, events } = goldens[operation] ?? {}
  return {
    ...(json && { json: inferSchema(json), example: json[0] }),
    ...(events && { events: inferSchema(events) }),
  }
}

/** The envelopes of refusals. Those with the same fields are one. */
function goldenRefusal(names: readonly string[]): z.ZodMiniType {
  const refusals = names.flatMap((name) => goldens[name]?.refusals ?? [])
  const byFields = groupBy(refusals, (refusal) => Object.keys(refusal as object).join())
  const envelopes = [...byFields.values()].map(inferSchema)
  return envelopes.length > 1 ? z.union(envelopes) : (envelopes[0] ?? z.unknown())
}
