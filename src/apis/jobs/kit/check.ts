import type * as z from 'zod/mini'
import { nameMatch } from '../../../engine/operations/facts.ts'
import { defineLifecycle, LifecycleError } from '../../../engine/tasks/lifecycle.ts'
import { suggestKnown } from '../../../engine/did-you-mean.ts'
import { controlPrefix } from '../../../gateway/request.ts'
import { recognizeCopies } from '../../../engine/shared-error.ts'
import { checkAgainst, firstOf } from '../../../scenario/schema/mistakes.ts'
import { valueAt } from '../../../scenario/schema/schema-walk.ts'
import { allWords, firstWords, hasJobs, wordChoices } from '../job/state-words.ts'
import type { ApiDefinition, ApiOperation } from './definition.ts'
import { isAboutJob, isSubmission } from './roles.ts'
import { operationSchemas } from './operation-schemas.ts'
import { definitionSchema } from './schema.ts'

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

type Fail = (place: readonly string[], what: string) => never

/** Checks a definition, also of callers without a compiler. @throws {ApiError} for the first mistake. */
export function checkDefinition(given: unknown): void {
  const fail: Fail = (place, what) => {
    const { name } = (given ?? {}) as { readonly name?: unknown }
    const subject = typeof name === 'string' ? `"${name}"` : 'without a name'
    throw new ApiError(`API ${subject}: ${place.join('.') || 'the definition'} ${what}`, place)
  }
  checkPart(definitionSchema(), given, [], fail)
  const definition = given as ApiDefinition
  const { operations, states, quirks = {} } = definition
  const schemas = operationSchemas()
  for (const [key, operation] of Object.entries(operations)) {
    const place = ['operations', key]
    if (!/^[a-z][a-z0-9-]{0,40}$/.test(key))
      fail(place, 'is no name. Use lower-case letters, digits and "-", such as create-by-model.')
    const { role } = operation
    const schema = schemas[role]
    if (schema) checkPart(schema, operation, place, fail)
    else fail([...place, 'role'], `is "${role}".${suggestKnown(role, Object.keys(schemas), 'Known are')}`)
    for (const path of pathsOf(operation)) {
      const problem = routeProblem(path, operation, `{${definition.idParameter ?? 'id'}}`)
      if (problem !== undefined) fail([...place, 'route'], `is ${showValue(path)}. ${problem}`)
    }
  }
  const words = allWords(states)
  const twice = words.find((word, index) => words.indexOf(word) !== index)
  if (twice !== undefined)
    fail(['states'], `has "${twice}" twice. Give each state a word of its own; a reply may send another one.`)
  if (definition.webhook && 'webhook' in operations)
    fail(['operations', 'webhook'], 'has the name of the operation that posts webhooks. Change its name.')
  if (states?.cancelling !== undefined && states.cancelled === undefined)
    fail(['states'], "has cancelling and no cancelled. Write the vendor's word for the end of such a job.")
  for (const { quirk } of wordChoices(definition))
    if (quirk in quirks)
      fail(['quirks', quirk], 'has the name of the quirk for a state with several words. Change it.')
  checkRoles(definition, fail)
  checkLifecycle(definition, fail)
  checkPlaces(operations, fail)
  for (const [name, { values, profiles = {}, variant }] of Object.entries(quirks)) {
    const odd = Object.values(profiles).find((value) => !values.includes(value))
    if (odd !== undefined)
      fail(['quirks', name, 'profiles'], `has "${odd}".${suggestKnown(odd, values, 'The values are')}`)
    if (variant && !(variant.operation in operations))
      fail(
        ['quirks', name, 'variant', 'operation'],
        `is "${variant.operation}".${suggestKnown(variant.operation, Object.keys(operations), 'The operations are')}`,
      )
  }
}

/** Fails for the first mistake of a part. */
function checkPart(schema: z.ZodMiniType, part: unknown, place: readonly string[], fail: Fail): void {
  const checked = checkAgainst(schema, part)
  if ('value' in checked) return
  const mistake = firstOf(checked.mistakes)
  const { isKey, message } = mistake
  const value = valueAt(part, mistake.place)
  const found = isKey ? '' : `is ${showValue(value)}${/^[A-Z]/.test(message) ? '. ' : ': '}`
  const isState = isKey && place.length === 0 && mistake.place[0] === 'states'
  fail([...place, ...mistake.place.map(String)], found + message + (isState ? furtherStates : ''))
}

const furtherStates = '. Further words, such as for the last part of the work, are what shows returns'

function checkRoles(definition: ApiDefinition, fail: Fail): void {
  const { operations, jobsOf, states, webhook } = definition
  if (!hasJobs(definition)) {
    if (webhook)
      fail(
        ['webhook'],
        'is never sent, since all operations are calls: webhooks are about jobs. Leave it out, or add submit and poll.',
      )
    return
  }
  if (states === undefined)
    fail(
      ['states'],
      "is missing. Write the vendor's words, such as states: { queue: 'starting', work: 'processing', success: 'succeeded', failure: 'failed' }.",
    )
  const roles = Object.values(operations).map(({ role }) => role)
  for (const role of ['submit', 'poll'] as const)
    if (!roles.includes(role) && !jobsOf)
      fail(
        ['operations'],
        `has no ${role}. Add one: operations: { ${role === 'submit' ? 'create' : 'get'}: ${role}({ … }) }.`,
      )
}

function checkLifecycle({ lifecycle, name, states }: ApiDefinition, fail: Fail): void {
  if (!lifecycle) return
  try {
    defineLifecycle(name, lifecycle, firstWords(states))
  } catch (error) {
    if (!(error instanceof LifecycleError)) throw error
    fail(['lifecycle'], `is not valid. ${error.message}`)
  }
}

function checkPlaces(operations: ApiDefinition['operations'], fail: Fail): void {
  const keys = new Map<string, string>()
  for (const [key, operation] of Object.entries(operations))
    for (const place of placesOf(operation)) {
      const other = keys.get(place)
      if (other !== undefined)
        fail(
          ['operations', key],
          `has the route of operations.${other}: ${place}. Change one of them, or tell them apart by match.`,
        )
      keys.set(place, key)
    }
}

/** The simulator itself handles paths below these, so no operation gets such a path. */
const ownFolders = [controlPrefix, '/ns']

/** What is wrong with a path; undefined if nothing is. @param mark the id of a job in it. */
function routeProblem(path: string, operation: ApiOperation, mark: string): string | undefined {
  const { route } = operation
  const [folders = '', query] = path.split('?')
  if (isSubmission(operation) && /^(?:\w+ )*(?:GET|HEAD) /.test(route))
    return 'A submission has a body, so write POST, PUT or PATCH.'
  if (ownFolders.some((folder) => `${folders}/`.startsWith(`${folder}/`)))
    return `Paths below ${ownFolders.join(' and ')} are those of greenroom: the control API and namespaces. Write another path, such as '/v1/predictions/${mark}'.`
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `It has ${twice} twice. Give each parameter a name of its own.`
  const part = folders.split('/').find((each) => each.includes('{') && !/^\{\w+\}(?:[:.]\w+)?$/.test(each))
  if (part !== undefined)
    return `It has the part ${showValue(part)}. A parameter is a whole part, {id}, {id}:verb or {id}.mp4.`
  if (isAboutJob(operation) && operation.id === undefined && !path.includes(mark))
    return `It has no id of a job. Write it as ${mark}, such as 'GET /v1/predictions/${mark}' or 'GET /v1/query?task_id=${mark}'.`
  return query === undefined ||
    (/^[\w.-]+=/.test(query) && query.endsWith(`=${mark}`) && !query.includes('&'))
    ? undefined
    : `The query of a route names the job only: '/v1/query?task_id=${mark}'.`
}

const pathsOf = ({ route, also = [] }: ApiOperation): readonly string[] => [route.split(' ').at(-1)!, ...also]

/** The places of a route: methods and paths, with parameters of any name. */
function placesOf(operation: ApiOperation): string[] {
  const paths = pathsOf(operation).map((path) => path.split('?')[0]!.replaceAll(/\{\w+\}/g, '{}'))
  return operation.route
    .split(' ')
    .slice(0, -1)
    .flatMap((method) => paths.map((path) => `${method} ${path}${nameMatch(operation.match)}`))
}

/** A value for a message, shortened. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'function') return 'a function'
  if (value instanceof RegExp) return String(value)
  try {
    return JSON.stringify(value).slice(0, 80)
  } catch {
    return `a ${typeof value}`
  }
}
