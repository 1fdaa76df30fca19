import * as z from 'zod/mini'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import type { Reply } from '../../gateway/replies/reply.ts'
import type { Core } from '../../gateway/core.ts'
import type { Api } from '../define/api.ts'
import type { Form } from '../define/form.ts'
import { defineOperation, type Behaviour, type Operation } from '../define/operation.ts'
import type { KeyPlace, OperationDetails } from '../define/operation-schema.ts'
import { flowsOf } from './client/flow.ts'
import { runWatched } from '../define/watched-functions.ts'
import type { ComposeOptions } from './compose/composed.ts'
import { readId } from './request/read-id.ts'
import type { ApiDefinition, ApiOperation } from './kit/definition.ts'
import { isAboutJob, isSubmission, roleOf } from './kit/roles.ts'
import { describeDownload, downloadBehaviour, downloadForm } from './replies/download.ts'
import { inferAnswer } from './replies/infer-answer.ts'
import { firstWords, hasJobs, wordChoices } from './job/state-words.ts'
import { jobKind } from './job/kind.ts'
import { listBehaviour } from './replies/list.ts'
import { pagesBehaviour, pagesForm } from './replies/pages.ts'
import { callBehaviour } from './replies/call.ts'
import { jobBehaviour } from './replies/respond.ts'
import { attachUploads } from './request/uploads.ts'
import { checkBefore } from './request/before.ts'
import { namingOf } from './request/naming.ts'
import { readRecordings } from './replies/observe.ts'
import { envelopeOf, refuseJob, refuserOf, type Refuse } from './replies/replies.ts'
import { findUpload } from './request-call.ts'
import {
  aliasForms,
  idForm,
  keyForm,
  operationsOf,
  prefixesOf,
  queryNameOf,
  readCredential,
  resultPlaces,
  submitPath,
  type ServedApi,
} from './served.ts'
import { quirkSettings, quirkVariants, wordQuirks, wordVariants, expiredLinks } from './quirks.ts'
import { hostsOfWebhooks, webhookOperation } from './replies/webhook.ts'
import { jobSettings } from './request/settings.ts'
import { submitBehaviour } from './request/submit.ts'
import { submitForm } from './request/submit-form.ts'

/** Makes an API of a definition without mistakes. */
export function toApi(
  definition: ApiDefinition,
  gateway?: { readonly webhookHosts?: ServedApi['hostsOf'] },
): Api {
  const isShipped = gateway !== undefined
  const { webhookHosts = (core: Core) => hostsOfWebhooks(core, definition.name) } = gateway ?? {}
  const { name, prefix = name, title = name, jobsOf = definition } = definition
  const operations = operationsOf(definition)
  const list = Object.values(operations)
  const choices = wordChoices(jobsOf)
  const quirks = { ...definition.quirks, ...(definition.jobsOf ? {} : wordQuirks(choices)) }
  const served: ServedApi = {
    definition,
    prefix,
    kind: jobsOf.name,
    id: idForm(jobsOf.id),
    uploadId: idForm(definition.uploads ?? jobsOf.id),
    aliases: aliasForms(jobsOf),
    idMark: `{${jobsOf.idParameter ?? 'id'}}`,
    states: firstWords(definition.states),
    wordQuirks: Object.fromEntries(choices.map(({ words: [word = ''], quirk }) => [word, quirk])),
    shows: isShipped ? definition.shows : watchShows(definition),
    results: resultPlaces(jobsOf),
    prefixes: isShipped ? undefined : (definition.prefixes ?? prefixesOf(list)),
    keys: keyForm(definition),
    hostsOf: webhookHosts,
    draws: definition.draws ?? 'video',
    isShipped,
  }
  return {
    name,
    readSettings: jobSettings,
    title,
    description: `The API \`${name}\`, from a definition.`,
    ...(!definition.jobsOf && hasJobs(definition) && { kinds: [jobKind(definition)] }),
    ...(!isShipped && ownFacts(definition, list)),
    ...(Object.keys(quirks).length > 0 && { settings: { quirks: quirkSettings(quirks) } }),
    exploration: {
      variants: [
        ...quirkVariants(definition, prefix),
        ...wordVariants(choices, operations, prefix),
        ...(isShipped ? [] : expiredLinks(definition, prefix, operations)),
      ],
    },
    operations: [
      ...Object.entries(operations).map(([key, operation]) => toOperation(key, operation, served)),
      ...(definition.webhook ? [webhookOperation(definition.webhook, served)] : []),
    ],
  }
}

/** `shows` may be read outside of any reply. */
function watchShows({ name, shows }: ApiDefinition): ServedApi['shows'] {
  return shows && ((job, quirks) => runWatched(name, 'shows', () => shows(job, quirks)))
}

/** What only an API of a user has. */
function ownFacts(definition: ApiDefinition, list: readonly ApiOperation[]): Partial<Api> {
  return {
    version: definition.version ?? 1,
    attach: attachUploads,
    base: { name: definition.name, path: submitPath(list) },
    keys: keyPlacesOf(definition),
    ...(definition.keys?.like && { keyForm: definition.keys.like }),
    recording: readRecordings(definition),
    flows: flowsOf(definition, definition.prefix ?? definition.name),
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

const namesUpload = (x: Exchange): boolean => findUpload(x, x.namedAs) !== undefined

function toOperation(key: string, operation: ApiOperation, served: ServedApi): Operation {
  const { definition, prefix, idMark } = served
  const name = `${prefix}.${key}`
  const { role } = operation
  const { summary = `${definition.title ?? definition.name}: ${key}` } = operation
  const query = queryNameOf(operation)
  const naming = 'id' in operation ? namingOf(name, operation as Parameters<typeof namingOf>[1]) : {}
  const { inBody } = operation as Partial<ComposeOptions>
  const namesJob = isAboutJob(operation) || (isSubmission(operation) && operation.ofJob === true)
  const refuse = refuserOf(definition.refusals, operation.refusals)
  const isSigned = role === 'download' && operation.redirects !== undefined
  const isPublic = operation.isPublic ?? (role === 'download' && !isSigned)
  const form = formOf(name, operation, refuse)
  const readsBody =
    isSubmission(operation) || role === 'list' || form !== undefined || naming.prepare !== undefined
  const facts: OperationFacts = {
    role: roleOf(operation),
    route: operation.route.split('?')[0]!,
    ...(operation.match && { match: operation.match }),
    ...((role !== 'call' || (served.isShipped && hasJobs(definition))) && { tasks: served.kind }),
    ...(operation.also && { aliases: operation.also.map((path) => path.split('?')[0]!) }),
    ...(namesJob && { task: inBody ? 'body' : idMark.slice(1, -1) }),
    ...(query !== undefined && { taskInQuery: query }),
    ...(isSigned ? { access: 'signed' as const } : isPublic && { access: 'public' as const }),
    ...(role === 'download' && operation.previews && { hasPreviews: true as const }),
    ...(!readsBody && !served.isShipped && { hasNoBody: true }),
    ...(isSubmission(operation) && !served.isShipped && { hasUnknownPrice: true }),
    ...('interval' in operation && { interval: operation.interval }),
    ...(operation.option !== undefined && { option: operation.option }),
  }
  const shared = {
    ...(served.prefixes && { prefixes: served.prefixes }),
    refuse: (error: GatewayError, x: Exchange): Reply => envelopeOf(definition, error, x, name),
    ...(definition.keys && {
      keys: served.keys,
      credential: (x: Exchange) => readCredential(definition, x),
    }),
    ...(definition.before && !isPublic && { before: checkBefore(name, definition.before, refuse) }),
    ...(!served.isShipped && { malformed: () => refuseJob(400, 'The body is not a JSON object') }),
    ...(operation.malformed && { malformed: operation.malformed }),
    ...(namesJob && {
      task: {
        ...naming.task,
        ...('uploaded' in operation && operation.uploaded !== undefined && { mayMiss: namesUpload }),
        unknown: () => refuse('unknownJob', { usual: 'The requested resource could not be found' }),
        ...(role === 'remove' && { isOwnersOnly: true }),
        ...(inBody && { inBody: (body: JsonObject) => readId(inBody(body)) }),
      },
    }),
  }
  return defineOperation(
    {
      name,
      summary,
      schema: () => describeOperation(operation, served),
      ...facts,
      form,
    },
    (core: Core) => ({
      ...shared,
      ...(naming.prepare && { prepare: naming.prepare as never }),
      ...behaviourOf(name, operation, served, core, { form, refuse }),
    }),
  )
}

function formOf(name: string, operation: ApiOperation, refuse: Refuse): Form | undefined {
  if (isSubmission(operation)) return submitForm(name, operation, refuse)
  if (operation.role === 'call') return operation.body && submitForm(name, { body: operation.body }, refuse)
  if (operation.role === 'download') return downloadForm(operation)
  return operation.role === 'pages'
    ? ((operation.body ?? pagesForm(operation)) as unknown as Form)
    : undefined
}

/** An operation for the OpenAPI document. */
function describeOperation(operation: ApiOperation, served: ServedApi): OperationDetails {
  const { role, status = 200 } = operation
  if (role === 'download') return describeDownload(operation)
  if (role === 'call' && operation.sends)
    return { answer: { bytes: operation.sends, others: { '304': 'Not modified.' } } }
  const query = queryNameOf(operation)
  const isOfQuirk = operation.contentType === undefined && typeof served.definition.contentType === 'function'
  return {
    ...(query !== undefined && { query: z.object({ [query]: z.string() }) }),
    answer: {
      ...(!operation.goldens && {
        json:
          operation.answers?.() ??
          (role === 'call' || role === 'list' ? z.unknown() : inferAnswer(served.definition, operation)),
      }),
      ...(isOfQuirk && { texts: ['text/plain'] }),
      ...(status !== 200 && { others: { [status]: 'The answer.' } }),
    },
  }
}

function behaviourOf(
  name: string,
  operation: ApiOperation,
  served: ServedApi,
  core: Core,
  { form, refuse }: { readonly form: Form | undefined; readonly refuse: Refuse },
): Behaviour<never, never> {
  switch (operation.role) {
    case 'submit':
    case 'confirm':
      return submitBehaviour(name, operation, served, core, { form: form!, refuse }) as unknown as Behaviour<
        never,
        never
      >
    case 'call':
      return callBehaviour(name, operation, served, core, { form, refuse }) as unknown as Behaviour<
        never,
        never
      >
    case 'download':
      return downloadBehaviour(name, operation, served, core, refuse) as unknown as Behaviour<never, never>
    case 'pages':
      return pagesBehaviour(name, operation, served, refuse) as unknown as Behaviour<never, never>
    case 'list':
      return listBehaviour(name, operation, served, refuse) as unknown as Behaviour<never, never>
    default:
      return jobBehaviour(name, operation, served, refuse)
  }
}
