import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { JobRequest } from '../kit/call.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import { findLeaves, imagineJob, imaginedId, imaginedUrl, readJob, replyFor } from '../replies/observe.ts'
import { drawBody } from '../../define/sample-body.ts'

/** An operation of a definition by its key. */
export interface PlannedOperation<Role extends ApiOperation['role']> {
  readonly key: string
  readonly operation: Extract<ApiOperation, { role: Role }>
}

/** The operations by which a client makes a job: from its submission to its files. */
export interface ClientPlan {
  readonly submits: readonly [PlannedOperation<'submit'>, ...PlannedOperation<'submit'>[]]
  readonly poll: PlannedOperation<'poll'>
  /** The operation whose replies have the links to the files, if polls have none. */
  readonly result: PlannedOperation<'result'> | undefined
  /** The operations that send files, by the id of the job. */
  readonly downloads: readonly PlannedOperation<'download'>[]
  /** The headers that examples of submissions have, such as the version of the API. */
  readonly headers: Readonly<Record<string, string>>
}

/** Plans a client of a definition; undefined for an API that has nothing to submit or to poll. */
export function planClient(definition: ApiDefinition): ClientPlan | undefined {
  const { operations } = definition
  const all = Object.entries(operations).map(([key, operation]) => ({ key, operation }))
  const withRole = <Role extends ApiOperation['role']>(role: Role): PlannedOperation<Role>[] =>
    all.filter((each): each is PlannedOperation<Role> => each.operation.role === role)
  const [submit, ...submits] = withRole('submit').filter(({ operation }) => operation.ofJob !== true)
  const [poll] = withRole('poll')
  if (!submit || !poll) return undefined
  const headers = Object.assign({}, ...withRole('submit').map(({ operation }) => operation.example?.headers))
  return {
    submits: [submit, ...submits],
    poll,
    result: withRole('result')[0],
    downloads: withRole('download'),
    headers,
  }
}

/** The download of the file that a job makes. */
export function downloadFor(
  { makes: usual = 'video' }: ApiDefinition,
  { downloads }: ClientPlan,
  { makes = usual }: Partial<JobRequest> = {},
): PlannedOperation<'download'> | undefined {
  return downloads.find(({ operation }) => (operation.makes ?? makes) === makes) ?? downloads[0]
}

/** The request of a submission, with a prompt. */
export interface SampleSubmission {
  readonly submit: PlannedOperation<'submit'>
  readonly path: string
  readonly body: JsonObject
  /** The keys that lead to the prompt in the body; none if the body has no prompt. */
  readonly promptAt: readonly string[]
  /** The job that the definition makes of it. */
  readonly request: JobRequest
}

/** A prompt that no schema refuses, and that no default resembles. */
const samplePrompt = 'a paper boat in the rain'

/** The value of every parameter of a path that is no id. */
const sampleParameter = 'model-1'

/**
 * Makes a request that the definition accepts, at best one with a prompt and without parameters in its path; undefined if no
 * schema of a body tells enough.
 */
export function sampleSubmission({ submits }: ClientPlan): SampleSubmission | undefined {
  const samples = submits.flatMap((submit) => sampleOf(submit) ?? [])
  const withPrompt = samples.filter(({ promptAt }) => promptAt.length > 0)
  const isPlain = ({ submit }: SampleSubmission): boolean => !submit.operation.route.includes('{')
  return withPrompt.find(isPlain) ?? withPrompt[0] ?? samples[0]
}

function sampleOf(submit: PlannedOperation<'submit'>): SampleSubmission | undefined {
  const { operation } = submit
  const schema = 'read' in operation.body ? operation.body.schema : operation.body
  const sample = operation.example?.body ?? drawBody(schema as never)
  if (typeof sample !== 'object' || sample === null) return undefined
  const body = sample as JsonObject
  const path = operation.route.split(' ').at(-1)!
  const params = Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, sampleParameter] as const),
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name]!)
  const texts = [...findLeaves(body)].filter(([, value]) => typeof value === 'string')
  for (const [keys] of texts) {
    const changed = replaceAt(body, keys, samplePrompt)
    const request = readJob(operation, changed, params)
    if (request?.prompt === samplePrompt)
      return { path: filled, body: changed, promptAt: keys, request, submit }
  }
  const request = readJob(operation, body, params)
  return request && { path: filled, body, promptAt: [], request, submit }
}

/** The value with another one at a place. */
export function replaceAt<Value>(value: Value, [key, ...rest]: readonly string[], other: unknown): Value {
  if (key === undefined) return other as Value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  copy[key] = replaceAt(copy[key], rest, other)
  return copy as Value
}

/** Where a reply has something, and what is around it: `operations/{id}`. */
export interface ReplyPlace {
  readonly keys: readonly string[]
  readonly before: string
  readonly after: string
  /** The type of the value. Default: a text. */
  readonly type?: 'boolean'
}

/** Finds where a reply has the id of its job: the shortest text with it, such as `id` before a link. */
export function findIdPlace(
  definition: ApiDefinition,
  { submit, request }: SampleSubmission,
): ReplyPlace | undefined {
  const reply = replyFor(definition, submit.operation as never, imagineJob(definition, 'queue', request))
  const [first] = placesOf(reply, imaginedId).toSorted(
    (one, other) => one.before.length + one.after.length - (other.before.length + other.after.length),
  )
  return first
}

/** Finds where the reply for a finished job has the links to its files. */
export function findLinkPlaces(
  definition: ApiDefinition,
  { poll, result }: ClientPlan,
  request: JobRequest,
): readonly ReplyPlace[] {
  const { operation } = result ?? poll
  return placesOf(replyFor(definition, operation, imagineJob(definition, 'success', request)), imaginedUrl)
}

function placesOf(reply: unknown, mark: string): ReplyPlace[] {
  return [...findLeaves(reply)].flatMap(([keys, value]): ReplyPlace[] => {
    const at = typeof value === 'string' ? value.indexOf(mark) : -1
    if (at < 0) return []
    const text = value as string
    return [{ keys, before: text.slice(0, at), after: text.slice(at + mark.length) }]
  })
}

/** Reads what is at a place of a reply; undefined if it is not there. */
export function readPlace(reply: unknown, { keys, before, after }: ReplyPlace): string | undefined {
  let value = reply
  for (const key of keys) value = (value as Record<string, unknown> | null | undefined)?.[key]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const isAround = value.startsWith(before) && value.endsWith(after)
  return isAround ? value.slice(before.length, value.length - after.length) : value
}

/** The path of an operation for a job. If a function makes the id, such as an ARN, the parameter is the last part of the id. */
export function pathFor({ idParameter = 'id' }: ApiDefinition, operation: ApiOperation, id: string): string {
  const parameter =
    'id' in operation && operation.id !== undefined ? id.split(/[/:]/).at(-1)! : sampleParameter
  return operation.route
    .split(' ')
    .at(-1)!
    .replaceAll(`{${idParameter}}`, encodeURIComponent(id))
    .replaceAll('{n}', '0')
    .replaceAll(/\{\w+\}/g, parameter)
}
