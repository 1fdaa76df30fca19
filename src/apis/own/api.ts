import * as z from 'zod/mini'
import { parseDuration } from '../../engine/clock/duration.ts'
import { videoSettings } from '../video/settings.ts'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import type { Api } from '../define/api.ts'
import type { Core } from '../../gateway/core.ts'
import { expiredResults, type Variant } from '../define/exploration.ts'
import type { Form } from '../define/form.ts'
import { defineOperation, type Behaviour, type Operation } from '../define/operation.ts'
import type { ApiDefinition, ApiOperation } from './definition.ts'
import { Job, jobRequest } from './job.ts'
import { jobKind } from './kind.ts'
import { callDefined } from './call-defined.ts'
import { envelopeOf, fileReply, refuseJob, toReply } from './replies.ts'
import {
  callOf,
  idForm,
  keyForm,
  linkMsOf,
  operationsOf,
  prefixesOf,
  queryNameOf,
  readCredential,
  resultsOf,
  submitPath,
  type ServedApi,
} from './served.ts'
import { readRecordings } from './observe.ts'
import { submitBehaviour, submitForm } from './submit.ts'
import type { KeyPlace, OperationDetails } from '../define/operation-schema.ts'

/** An operation for the OpenAPI document. Replies are functions, so their bodies are not described. */
function describeOperation(operation: ApiOperation): OperationDetails {
  const { role, status = 200 } = operation
  const query = queryNameOf(operation)
  return {
    ...(query !== undefined && { query: z.object({ [query]: z.string() }) }),
    answer:
      role === 'download'
        ? { bytes: ['video/mp4', 'image/png'] }
        : { json: z.unknown(), ...(status !== 200 && { others: { [status]: 'The answer.' } }) },
  }
}

/** Where the keys of a definition may be, besides `Authorization`. */
function keyPlacesOf({ name: api, keys: { headers = [], query } = {} }: ApiDefinition): KeyPlace[] {
  const place = (where: 'header' | 'query', name: string): KeyPlace => ({
    id: `${api}-${name}`,
    in: where,
    name,
    description: `A key, as clients of ${api} send it.`,
  })
  return [
    ...headers.map((name) => place('header', name)),
    ...(query === undefined ? [] : [place('query', query)]),
  ]
}

/** Makes an API of a definition without mistakes. */
export function toApi(definition: ApiDefinition): Api {
  const operations = operationsOf(definition)
  const list = Object.values(operations)
  const kind = jobKind(definition)
  const served: ServedApi = {
    definition,
    lifecycle: kind.lifecycle,
    id: idForm(definition),
    states: definition.states,
    results: resultsOf(list),
    prefixes: definition.prefixes ?? prefixesOf(list),
    keys: keyForm(definition),
  }
  return {
    name: definition.name,
    readSettings: videoSettings,
    version: definition.version ?? 1,
    kinds: [kind],
    base: { name: definition.name, path: submitPath(list) },
    title: definition.title ?? definition.name,
    description: `The API \`${definition.name}\`, from a definition.`,
    error: () => z.unknown(),
    keys: keyPlacesOf(definition),
    ...(definition.keys?.like && { keyForm: definition.keys.like }),
    recording: readRecordings(definition),
    exploration: { variants: expiredLinks(definition, operations) },
    operations: Object.entries(operations).map(([key, operation]) => toOperation(key, operation, served)),
  }
}

/** A gateway for each download, whose links must be renewed. Some vendors give no new link, unless the scenario says so. */
function expiredLinks(
  { name, refusals = {} }: ApiDefinition,
  operations: ApiDefinition['operations'],
): Variant[] {
  const { noResult = 404, expired = noResult } = refusals
  return Object.entries(operations).flatMap(([key, operation]) => {
    if (operation.role !== 'download') return []
    const variant = expiredResults(`expired ${name}.${key}`, `${name}.${key}`, expired)
    return [operation.linkExpires === undefined ? { ...variant, needs: 'resultExpiresAfter' } : variant]
  })
}

function toOperation(key: string, operation: ApiOperation, served: ServedApi): Operation {
  const { definition } = served
  const name = `${definition.name}.${key}`
  const { summary = `${definition.title ?? definition.name}: ${key}` } = operation
  const query = queryNameOf(operation)
  const route = operation.route.split('?')[0]!
  const facts: OperationFacts = {
    role: operation.role,
    route,
    tasks: definition.name,
    ...(operation.also && { aliases: operation.also.map((path) => path.split('?')[0]!) }),
    ...(operation.role !== 'submit' && { task: 'id' }),
    ...(query !== undefined && { taskInQuery: query }),
    ...((operation.isPublic ?? operation.role === 'download') && { access: 'public' }),
    ...(operation.role !== 'submit' && { hasNoBody: true }),
    ...('interval' in operation && { interval: operation.interval }),
  }
  const { unknownJob = 404 } = definition.refusals ?? {}
  const shared = {
    prefixes: served.prefixes,
    refuse: (error: GatewayError, x: Exchange): Reply => envelopeOf(definition, error, x, name),
    ...(definition.keys && {
      keys: served.keys,
      credential: (x: Exchange) => readCredential(definition, x),
    }),
    malformed: () => refuseJob(400, 'The body is not a JSON object'),
    ...(operation.role !== 'submit' && {
      task: {
        unknown: () => refuseJob(unknownJob, 'The requested resource could not be found'),
      },
    }),
  }
  const form = operation.role === 'submit' ? submitForm(name, operation, definition) : undefined
  return defineOperation(
    {
      name,
      summary,
      schema: () => describeOperation(operation),
      ...facts,
      form,
    },
    (core: Core) => ({
      ...shared,
      ...behaviourOf(name, operation, served, core, form),
    }),
  )
}

function behaviourOf(
  name: string,
  operation: ApiOperation,
  served: ServedApi,
  core: Core,
  form: Form | undefined,
): Behaviour<never, never> {
  const { role } = operation
  if (role === 'submit')
    return submitBehaviour(name, operation, served, core, form!) as unknown as Behaviour<never, never>
  if (role === 'download') return { respond: (x) => sendFile(x, operation, served) }
  const { status = 200 } = operation
  if (role === 'cancel') {
    return {
      respond: (x) => {
        const hasEnded = !cancelTask(x, served)
        const task = x.tasks.find(x.task!.id)!
        const call = Object.assign(callOf(x), { hasEnded })
        const made = callDefined(name, 'reply', () => operation.reply(new Job(x, task, served), call))
        return toReply(made, { x, task, operation: name, status })
      },
    }
  }
  return {
    respond: (x) => {
      const task = x.task!
      const job = new Job(x, task, served)
      if (role === 'poll') x.entry.reportedStatus = job.status
      const made = callDefined(name, 'reply', () => operation.reply(job, callOf(x)))
      const reply = toReply(made, { x, task, operation: name, status })
      if (job.reason !== '' && !hasText(reply.body, job.reason)) x.entry.hidesReason = true
      return reply
    },
  }
}

/** Whether a body in JSON contains a text. */
function hasText(body: Reply['body'], text: string): boolean {
  return typeof body === 'string' && body.includes(JSON.stringify(text).slice(1, -1))
}

/** Ends a job early. @returns whether it was in time. */
function cancelTask({ task, tasks, now }: Exchange, { states }: ServedApi): boolean {
  if (tasks.view(task!, now).final) return false
  const state = states.cancelled ?? states.failure
  tasks.transition(task!, { at: now, state, reason: 'cancelled', cause: 'request' })
  return true
}

function sendFile(
  x: Exchange,
  download: Extract<ApiOperation, { role: 'download' }>,
  { definition, states }: ServedApi,
): Reply {
  const task = x.task!
  const { noResult = 404, expired = noResult } = definition.refusals ?? {}
  const { state, finishedAt } = x.sentView
  if (state !== states.success) throw refuseJob(noResult, `There is no file: the job is ${state}`)
  const { expires } = download
  const isPast = expires !== undefined && x.now >= finishedAt + parseDuration(expires)
  if (isPast || x.core.links.isExpired(x, task, finishedAt, linkMsOf(download)))
    throw refuseJob(expired, 'The file has expired')
  const index = Number(x.params['n'] ?? 0)
  const count = jobRequest(task).pictures?.length ?? 1
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw refuseJob(noResult, `There is no file ${x.params['n']}: the job has ${count}, from 0`)
  return fileReply(x, task, index)
}
