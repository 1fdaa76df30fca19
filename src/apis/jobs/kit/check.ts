import { DurationError, parseDuration } from '../../../engine/clock/duration.ts'
import { suggestKnown } from '../../../engine/did-you-mean.ts'
import { controlPrefix } from '../../../gateway/request.ts'
import { isObject } from '../../../engine/is-object.ts'
import { recognizeCopies } from '../../../engine/shared-error.ts'
import { checkDuration } from '../../../engine/random/distribution.ts'

/**
 * A mistake in the definition of an API. The message names the key, the value, and what to write.
 *
 * @example
 * const states = { queue: 'a', work: 'b', success: 'c', failure: 'd' }
 * defineApi({ name: 'My API', states, error: () => ({}), operations: {} }) // throws ApiError: …name is "My API". Write 1 to 31…
 */
export class ApiError extends Error {
  static {
    recognizeCopies(this, 'ApiError')
  }

  override name = 'ApiError'
  /** The keys that lead to the mistake, such as `operations`, `get`, `route`. */
  readonly at: readonly string[]

  constructor(message: string, at: readonly string[] = []) {
    super(message)
    this.at = at
  }
}

type Fields = Readonly<Record<string, unknown>>
type Fail = (what: string) => never

const keysOfApi = [
  'name',
  'title',
  'version',
  'prefix',
  'jobsOf',
  'states',
  'makes',
  'timing',
  'beginsAt',
  'defaults',
  'sizesOf',
  'contentType',
  'quirks',
  'shows',
  'id',
  'idParameter',
  'keys',
  'prefixes',
  'refusals',
  'error',
  'operations',
]
const keysOfAll = [
  'role',
  'route',
  'also',
  'summary',
  'status',
  'isPublic',
  'refusals',
  'contentType',
  'option',
  'answers',
]
const keysOfRole: Readonly<Record<string, readonly string[]>> = {
  submit: ['body', 'images', 'reads', 'ofJob', 'job', 'reply'],
  poll: ['interval', 'reply'],
  result: ['reply'],
  cancel: ['reply'],
  remove: ['reply'],
  list: ['reply', 'least'],
  download: ['makes', 'expires', 'linkExpires', 'headers', 'stills', 'redirects', 'isOpen', 'failed'],
}
const keysOfGroup: Readonly<Record<string, readonly string[]>> = {
  states: ['queue', 'work', 'success', 'failure', 'cancelled'],
  timing: ['queued', 'render'],
  keys: ['like', 'schemes', 'headers', 'query'],
  defaults: ['seconds', 'size'],
  refusals: ['invalidBody', 'invalidSize', 'invalidSeconds', 'unknownJob', 'noResult', 'expired'],
}

/** Checks a definition, also of callers without a compiler. @throws {ApiError} for the first mistake. */
export function checkDefinition(definition: unknown): void {
  if (!isObject(definition))
    throw new ApiError(
      `The definition is ${showValue(definition)}. Write defineApi({ name, states, error, operations }).`,
    )
  const { name } = definition
  const fail: Fail = (what) => {
    const subject = typeof name === 'string' ? `"${name}"` : 'without a name'
    throw new ApiError(`API ${subject}: ${what}`, keysIn(what))
  }
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,30}$/.test(name))
    fail(
      `name is ${showValue(name)}. Write 1 to 31 lower-case letters, digits or "-", such as name: 'replicate'.`,
    )
  checkKeys(definition, keysOfApi, '', fail)
  for (const [group, known] of Object.entries(keysOfGroup)) {
    const value = definition[group]
    if (value === undefined) continue
    if (!isObject(value)) fail(`${group} is ${showValue(value)}. Write an object with ${known.join(', ')}.`)
    checkKeys(value as Fields, known, `${group}.`, fail)
  }
  checkMedium(definition['makes'], 'makes', fail)
  checkStates(definition['states'], fail)
  checkTiming(definition['timing'], fail)
  checkId(definition['id'], fail)
  checkAccess(definition, fail)
  if (typeof definition['error'] !== 'function')
    fail('error is missing. Write error: ({ message }) => ({ detail: message }), the envelope of refusals.')
  checkOperations(definition['operations'], fail)
}

/** The keys that a message names: `operations.get: route is …`. */
function keysIn(what: string): string[] {
  const [, path = '', unknown, known] = /^([\w.-]+)(?::.*?(?:"(\w+)"\.|(\w+) is))?/.exec(what) ?? []
  return [...path.split('.'), ...[unknown ?? known ?? []].flat()]
}

function checkKeys(value: Fields, known: readonly string[], path: string, fail: Fail): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) fail(`${path}${key} is not known.${suggestKnown(key, known, 'Known here')}`)
}

function checkMedium(value: unknown, key: string, fail: Fail): void {
  if (value !== undefined && value !== 'video' && value !== 'image')
    fail(`${key} is ${showValue(value)}. Write 'video' or 'image'.`)
}

function checkStates(states: unknown, fail: Fail): void {
  const words = (states ?? {}) as Fields
  for (const role of ['queue', 'work', 'success', 'failure'])
    if (typeof words[role] !== 'string' || words[role] === '')
      fail(
        `states.${role} is ${showValue(words[role])}. Write the vendor's word, such as states: { queue: 'starting', work: 'processing', success: 'succeeded', failure: 'failed' }.`,
      )
  const given = Object.values(words)
  const twice = given.find((word, index) => given.indexOf(word) !== index)
  if (twice !== undefined)
    fail(
      `states has ${showValue(twice)} twice. Give each state a word of its own; a reply may send another one.`,
    )
}

function checkTiming(timing: unknown, fail: Fail): void {
  for (const [key, value] of Object.entries((timing ?? {}) as Fields)) {
    try {
      checkDuration(value as never)
    } catch (error) {
      if (error instanceof DurationError) fail(`timing.${key}: ${error.message}.`)
      fail(`timing.${key} is ${showValue(value)}. Write a duration, such as '20s'.`)
    }
  }
}

function checkId(id: unknown, fail: Fail): void {
  if (id === undefined || id === 'uuid') return
  const { prefix = '', length, of = 'ab', ...rest } = isObject(id) ? id : {}
  const isFit =
    isObject(id) &&
    Object.keys(rest).length === 0 &&
    /^[\w-]{0,40}$/.test(String(prefix)) &&
    Number.isInteger(length) &&
    (length as number) >= 6 &&
    (length as number) <= 64 &&
    /^[\w-]{2,100}$/.test(String(of))
  if (!isFit)
    fail(
      `id is ${showValue(id)}. Write 'uuid', or { prefix: 'job_', length: 24, of: 'abcdef0123456789' } with 6 to 64 letters, digits, "-" or "_".`,
    )
}

function checkAccess({ keys, prefixes, refusals, version }: Fields, fail: Fail): void {
  const { like, schemes, headers, query } = (keys ?? {}) as Fields
  if (like !== undefined && (!(like instanceof RegExp) || /[gy]/.test(like.flags)))
    fail(
      `keys.like is ${like instanceof RegExp ? String(like) : showValue(like)}. Write a regular expression without the flags g and y, such as /^r8_/.`,
    )
  for (const [key, value] of Object.entries({ schemes, headers }))
    if (value !== undefined && !isTexts(value))
      fail(`keys.${key} is ${showValue(value)}. Write a list of names, such as ['Token'].`)
  if (query !== undefined && typeof query !== 'string')
    fail(`keys.query is ${showValue(query)}. Write the name of a parameter, such as 'key'.`)
  const isPath = (path: string): boolean => /^\/[^?{}\s]*[^?{}/\s]$/.test(path)
  if (prefixes !== undefined && !(isTexts(prefixes) && prefixes.every(isPath)))
    fail(
      `prefixes is ${showValue(prefixes)}. Write a list of paths without parameters, such as ['/v1/predictions'].`,
    )
  for (const [key, value] of Object.entries((refusals ?? {}) as Fields))
    if (!isStatus(isObject(value) ? value['status'] : value, 400))
      fail(`refusals.${key} is ${showValue(value)}. Write a status from 400 to 599.`)
  if (version !== undefined && !Number.isInteger(version))
    fail(`version is ${showValue(version)}. Write a whole number.`)
}

function checkOperations(operations: unknown, fail: Fail): void {
  if (!isObject(operations))
    fail(
      `operations is ${showValue(operations)}. Write operations: { create: submit({ … }), get: poll({ … }) }.`,
    )
  const entries = Object.entries(operations as Fields)
  const paths = new Map<string, string>()
  for (const [key, operation] of entries) {
    if (!/^[a-z][a-z0-9-]{0,40}$/.test(key))
      fail(
        `operations.${key}: the name is ${showValue(key)}. Use lower-case letters, digits and "-", such as create-by-model.`,
      )
    checkOperation(operation, (what) => fail(`operations.${key}: ${what}`))
    for (const place of placesOf(operation as { route: string; also?: readonly string[] })) {
      const other = paths.get(place)
      if (other !== undefined)
        fail(`operations.${key} has the route of operations.${other}: ${place}. Change one of them.`)
      paths.set(place, key)
    }
  }
  const roles = entries.map(([, operation]) => (operation as Fields)['role'])
  for (const role of ['submit', 'poll'])
    if (!roles.includes(role))
      fail(
        `operations has no ${role}. Add one: operations: { ${role === 'submit' ? 'create' : 'get'}: ${role}({ … }) }.`,
      )
}

function checkOperation(operation: unknown, fail: Fail): void {
  if (!isObject(operation) || typeof operation['role'] !== 'string')
    fail(
      `it is ${showValue(operation)}. Write submit({ … }), poll({ … }), result({ … }), cancel({ … }) or download({ … }).`,
    )
  const { role, route, also, status, isPublic, reply, body, job, images, makes, interval } =
    operation as Fields
  const { expires, linkExpires } = operation as Fields
  const known = keysOfRole[role as string]
  if (!known)
    fail(`role is ${showValue(role)}.${suggestKnown(String(role), Object.keys(keysOfRole), 'Known are')}`)
  for (const key of Object.keys(operation as Fields))
    if (![...keysOfAll, ...known!].includes(key))
      fail(
        `a ${String(role)} has no "${key}".${suggestKnown(key, [...keysOfAll.slice(1), ...known!], 'Known here')}`,
      )
  checkRoutes(route, also, role !== 'submit' && role !== 'list', fail)
  if (role === 'submit' && /^(?:\w+ )*(?:GET|HEAD) /.test(route as string))
    fail(`route is ${showValue(route)}. A submission has a body, so write POST, PUT or PATCH.`)
  if (status !== undefined && !isStatus(status, 200))
    fail(`status is ${showValue(status)}. Write a status from 200 to 599.`)
  if (isPublic !== undefined && typeof isPublic !== 'boolean')
    fail(`isPublic is ${showValue(isPublic)}. Write true or false.`)
  if (role !== 'download' && typeof reply !== 'function')
    fail(`reply is ${showValue(reply)}. Write reply: (job) => ({ id: job.id, status: job.status }).`)
  const { safeParse, read } = (body ?? {}) as { safeParse?: unknown; read?: unknown }
  if (role === 'submit' && typeof (safeParse ?? read) !== 'function')
    fail(`body is ${showValue(body)}. Write body: z.object({ … }), with z of greenroom/api.`)
  if (role === 'submit' && typeof job !== 'function')
    fail(`job is ${showValue(job)}. Write job: ({ body }) => ({ model: body.model, prompt: body.prompt }).`)
  if (images !== undefined && typeof images !== 'function')
    fail(`images is ${showValue(images)}. Write images: (body) => [body.image].`)
  checkMedium(makes, 'makes', fail)
  checkFixedDuration(expires, 'expires', fail)
  checkFixedDuration(linkExpires, 'linkExpires', fail)
  if (interval === undefined) return
  if (!isObject(interval))
    fail(`interval is ${showValue(interval)}. Write interval: { min: '2s', max: '10s' }.`)
  checkKeys(interval as Fields, ['min', 'max'], 'interval.', fail)
  for (const [key, value] of Object.entries(interval as Fields))
    checkFixedDuration(value, `interval.${key}`, fail)
}

function checkFixedDuration(value: unknown, key: string, fail: Fail): void {
  if (value === undefined) return
  try {
    // A number would be milliseconds here, and seconds to many vendors.
    if (typeof value === 'string') return void parseDuration(value)
  } catch {}
  fail(`${key} is ${showValue(value)}. Write a duration with its unit, such as '1h'.`)
}

/** Requests below these never reach an operation by their whole path. */
const ownFolders = [controlPrefix, '/ns']

const routeForm = /^(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE) )+\/[!-~]*$/

function checkRoutes(route: unknown, also: unknown, namesJob: boolean, fail: Fail): void {
  if (typeof route !== 'string' || !routeForm.test(route))
    fail(`route is ${showValue(route)}. Write METHOD /path, such as 'GET /v1/predictions/{id}'.`)
  if (also !== undefined && !(isTexts(also) && also.every((path) => path.startsWith('/'))))
    fail(`also is ${showValue(also)}. Write a list of paths, such as ['/v1/jobs/{id}'].`)
  const paths = [(route as string).split(' ').at(-1)!, ...((also ?? []) as readonly string[])]
  for (const path of paths) {
    if (ownFolders.some((folder) => `${path.split('?')[0]}/`.startsWith(`${folder}/`)))
      fail(
        `route is ${showValue(path)}. Paths below ${ownFolders.join(' and ')} are those of greenroom: the control API and namespaces. Write another path, such as '/v1/predictions/{id}'.`,
      )
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([name]) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined)
      fail(`route is ${showValue(path)}, which has ${twice} twice. Give each parameter a name of its own.`)
    for (const part of path.split('?')[0]!.split('/'))
      if (part.includes('{') && !/^\{\w+\}(?::\w+)?$/.test(part))
        fail(`route has the part ${showValue(part)}. A parameter is a whole part, {id} or {id}:verb.`)
    if (namesJob && !path.includes('{id}'))
      fail(
        `route is ${showValue(path)}, without the id of a job. Write it as {id}, such as 'GET /v1/predictions/{id}' or 'GET /v1/query?task_id={id}'.`,
      )
    if (path.includes('?') && !/^[^?]*\?[\w.-]+=\{id\}$/.test(path))
      fail(`route is ${showValue(path)}. The query of a route names the job only: '/v1/query?task_id={id}'.`)
  }
}

/** The places of a route: methods and paths, with parameters of any name. */
function placesOf({ route, also = [] }: { route: string; also?: readonly string[] }): string[] {
  const words = route.split(' ')
  const paths = [words.at(-1)!, ...also].map((path) => path.split('?')[0]!.replaceAll(/\{\w+\}/g, '{}'))
  return words.slice(0, -1).flatMap((method) => paths.map((path) => `${method} ${path}`))
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')
}

function isStatus(value: unknown, min: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= 599
}

/** A value for a message, shortened. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'function') return 'a function'
  try {
    return JSON.stringify(value).slice(0, 80)
  } catch {
    return `a ${typeof value}`
  }
}
