import { parseDuration } from '../../engine/clock/duration.ts'
import { alphanumerics } from '../../engine/random/draws.ts'
import { credentialOf, type KeyForm } from '../../gateway/accounts/keys.ts'
import { definitionError } from '../../gateway/replies/errors.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { headerOf } from '../../gateway/request.ts'
import type { Core } from '../../gateway/core.ts'
import type { IdForm } from './job/record.ts'
import type { ApiDefinition, ApiOperation, IdOptions } from './kit/definition.ts'
import type { DownloadOptions } from './kit/operation.ts'
import { callDefined } from './kit/call-defined.ts'
import { showValue } from './kit/check.ts'
import type { JobContext } from './job/job.ts'
import { hasJobs } from './job/state-words.ts'
import type { ResultPlace } from './job/states.ts'
import type { JobMedium } from './job/stored-job.ts'

/** A definition, with what its operations share. */
export interface ServedApi extends JobContext {
  readonly definition: ApiDefinition
  /** What the names of its operations begin with. */
  readonly prefix: string
  /** The kind of its jobs. */
  readonly kind: string
  readonly id: IdForm
  /** The form of ids of uploaded files. */
  readonly uploadId: IdForm
  /** Undefined for an API of the gateway. */
  readonly prefixes: readonly string[] | undefined
  readonly keys: KeyForm
  /** The hosts that webhooks may call besides this machine; undefined: webhooks are off. */
  readonly hostsOf: (core: Core) => readonly string[] | 'all' | undefined
  /** Whether it is one of the gateway's own. */
  readonly isShipped: boolean
}

/** The form of ids. */
export function idForm(id: IdOptions | undefined): IdForm {
  if (id === undefined) return { prefix: '', length: 32, of: alphanumerics }
  if (id !== 'uuid') return { prefix: '', of: alphanumerics, ...id }
  return {
    prefix: '',
    length: 32,
    of: '0123456789abcdef',
    format: (hex) => hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5'),
  }
}

/** The operations of a definition, with the download that it doesn't have. */
export function operationsOf(definition: ApiDefinition): Readonly<Record<string, ApiOperation>> {
  return definition.jobsOf || !hasJobs(definition) ? definition.operations : withDownload(definition)
}

/** Where the results of the jobs of a definition are. */
export function resultPlaces(definition: ApiDefinition): JobContext['results'] {
  return resultsOf(Object.values(withDownload(definition)))
}

function withDownload({ name, operations }: ApiDefinition): Readonly<Record<string, ApiOperation>> {
  const hasDownload = Object.values(operations).some(({ role }) => role === 'download')
  if (hasDownload) return operations
  const key = ['output', 'file'].find((each) => !(each in operations)) ?? 'output-file'
  return { ...operations, [key]: { role: 'download', route: `GET HEAD /${name}/output/{id}/{n}` } }
}

/** Where the results of each medium are: at the first download for it. */
function resultsOf(operations: readonly ApiOperation[]): JobContext['results'] {
  const downloads = operations.filter((operation) => operation.role === 'download')
  const resultOf = (medium: JobMedium): ResultPlace => {
    const fitting = downloads.find(({ makes = medium }) => makes === medium) ?? downloads[0]!
    const { makes, alias, route } = fitting
    return { path: route.split(' ').at(-1)!, linkMs: linkMsOf(fitting), isOwn: makes !== undefined, alias }
  }
  return {
    video: resultOf('video'),
    image: resultOf('image'),
    audio: resultOf('audio'),
    text: resultOf('text'),
  }
}

/** How long the links of a download work; undefined if that is not limited. */
export function linkMsOf({ linkExpires }: DownloadOptions): number | undefined {
  return linkExpires === undefined ? undefined : parseDuration(linkExpires)
}

/** What routes begin with, up to their first parameter. The root alone would take every path. */
export function prefixesOf(operations: readonly ApiOperation[]): string[] {
  const paths = operations.flatMap(({ route, also = [] }) => [route.split(' ').at(-1)!, ...also])
  const starts = paths.map((path) => path.replace(/\/?(?:\{.*|\?.*)$/, '').replace(/\/[^/]*:[^/]*$/, ''))
  return [...new Set(starts)].filter((start) => start !== '')
}

/** Where jobs are submitted, up to the first parameter; without jobs, the path of the first operation. */
export function submitPath(operations: readonly ApiOperation[]): string {
  const { route } = operations.find(({ role }) => role === 'submit') ?? operations[0]!
  return route.split(' ').at(-1)!.split(/\/?\{/)[0]!
}

/** The parameter of the query that has the id of the job: `task_id` of `GET /v1/query?task_id={id}`. */
export function queryNameOf({ route }: Pick<ApiOperation, 'route'>): string | undefined {
  return /[?&]([^=&]+)=\{\w+\}$/.exec(route)?.[1]
}

/** The forms of the second names of jobs. */
export function aliasForms({ aliases = {} }: ApiDefinition): JobContext['aliases'] {
  return Object.fromEntries(Object.entries(aliases).map(([name, form]) => [name, idForm(form)]))
}

/** What keys of a definition match, and where clients send them. */
export function keyForm({ name, keys = {} }: ApiDefinition): KeyForm {
  const { like, schemes = [], headers = [], query, account } = keys
  const [header] = headers
  const [scheme = 'Bearer'] = schemes
  const isInQuery = query !== undefined && schemes.length === 0
  const place = isInQuery ? `the parameter ${query} of the query` : `the header Authorization: ${scheme} KEY`
  return {
    ...(like && { like }),
    ...(account && { account: (key) => readAccount(name, account, key) }),
    place: header === undefined ? place : `the header ${header}`,
  }
}

function readAccount(name: string, accountOf: (key: string) => string, key: string): string {
  const account: unknown = callDefined(name, 'keys.account', () => accountOf(key))
  if (typeof account === 'string' && account !== '') return account
  throw definitionError(name, 'keys.account', `it returns ${showValue(account)}. Return a text`)
}

/** Reads the key from the place that the vendor uses: a header, a scheme or the query. Empty without a key. */
export function readCredential({ keys = {} }: ApiDefinition, x: Exchange): string {
  for (const name of keys.headers ?? []) {
    const value = headerOf(x.request, name.toLowerCase())
    if (value !== '') return value
  }
  const given = credentialOf(x.request)
  const lower = given.toLowerCase()
  const scheme = keys.schemes?.find((each) => lower.startsWith(`${each.toLowerCase()} `))
  if (scheme !== undefined) return given.slice(scheme.length + 1).trim()
  if (given !== '' || keys.query === undefined) return given
  return new URLSearchParams(x.query).get(keys.query) ?? ''
}
