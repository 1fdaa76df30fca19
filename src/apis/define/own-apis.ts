import { nameMatch } from '../../engine/operations/facts.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { SettingsError } from '../../scenario/options.ts'
import { version } from '../../version.ts'
import { isServed, type Api } from './api.ts'
import type { Operation } from './operation.ts'

/**
 * The key under which a definition has its API. All copies of greenroom in a process share this symbol: `greenroom/api` is a
 * separate bundle, which programs without such APIs don't load.
 */
const made = Symbol.for('greenroom.api')

/** A definition with its API. */
interface WithApi extends OwnApi {
  readonly [made]?: { readonly api: Api; readonly version: string }
}

/** The definitions of files that were loaded, by absolute path. */
const definitionsIn = new Map<string, readonly OwnApi[]>()

/** Adds its API to a definition. */
export function registerApi(definition: OwnApi, api: Api): void {
  Object.defineProperty(definition, made, { value: { api, version } })
}

/** Notes what a file exports. A file that is loaded again replaces it. */
export function registerFile(path: string, definitions: readonly OwnApi[]): void {
  definitionsIn.set(path, definitions)
}

/** Whether a value is a definition that `defineApi` returned. */
export function isOwnApi(value: unknown): value is OwnApi {
  return typeof value === 'object' && value !== null && made in value
}

/** The APIs of a list that may have mistakes. */
export function knownApis(given: unknown): Api[] {
  return definitionsOf(given).map(({ api }) => api)
}

/** The definitions of a list that may have mistakes, each with its API. */
export function definitionsOf(given: unknown): { readonly definition: OwnApi; readonly api: Api }[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  const definitions = list.flatMap((each) =>
    typeof each === 'string' ? (definitionsIn.get(each) ?? []) : isOwnApi(each) ? [each] : [],
  )
  return [...new Set(definitions)].map((definition) => ({
    definition,
    api: (definition as WithApi)[made]!.api,
  }))
}

/**
 * The APIs that the option `apis` names.
 * @param given definitions, and the absolute paths of loaded files.
 * @param shipped the APIs that are served in any case.
 * @param options those of the simulator, which bring some routes.
 * @throws {SettingsError} for another value, a file that was not loaded, two APIs of one name, and a route that another one
 * has or that hides one of `shipped`.
 */
export function resolveApis(
  given: readonly (string | OwnApi)[] = [],
  shipped: readonly Api[] = [],
  options: object = {},
): Api[] {
  if (given.length === 0) return []
  const named = given.flatMap((each, index) => definitionsAt(each, `apis[${index}]`))
  const names = new Map(
    shipped.flatMap(({ operations }) => operations.map(({ name }) => [apiOf(name), 'greenroom'])),
  )
  const places = new Map(shipped.flatMap((api) => placesOf(api, options)))
  const quirks = new Map(shipped.flatMap((api) => quirksOf(api).map((name) => [name, 'greenroom'])))
  return [...new Set(named)].map((definition) => {
    const { api } = (definition as WithApi)[made]!
    const file = fileOf(definition)
    const where = file ?? `apis[${given.indexOf(definition)}]`
    const refuse = (what: string): never => {
      throw new SettingsError(`${where}: ${what}`, { file })
    }
    for (const name of new Set([api.name, ...api.operations.map(({ name }) => apiOf(name))])) {
      const owner = names.get(name)
      if (owner !== undefined)
        refuse(`the name is "${name}", which an API of ${owner} has. Write another name.`)
      names.set(name, where)
    }
    for (const name of quirksOf(api)) {
      const owner = quirks.get(name)
      if (owner !== undefined)
        refuse(`quirks.${name} has the name of a quirk of ${owner}. Write another name.`)
      quirks.set(name, where)
    }
    const ownPlaces = placesOf(api, options)
    for (const [place, operation] of ownPlaces) {
      const other = places.get(place)
      if (other !== undefined)
        refuse(`operations.${keyOf(operation)} has the route of ${other}: ${place}. Change its route.`)
    }
    for (const [place, operation] of ownPlaces) places.set(place, operation)
    const hidden = findHidden(api, shipped)
    if (hidden !== undefined) refuse(hidden)
    return api
  })
}

/** The file that defines an API, if it was loaded from one. */
function fileOf(definition: OwnApi): string | undefined {
  for (const [path, definitions] of definitionsIn) if (definitions.includes(definition)) return path
  return undefined
}

/** The file that defines an operation or an API of this name, if it was loaded from one. */
export function fileOfOperation(name: string): string | undefined {
  const hasIt = (definition: OwnApi): boolean =>
    definition.name === name ||
    (definition as WithApi)[made]!.api.operations.some((operation) => operation.name === name)
  for (const [path, definitions] of definitionsIn) if (definitions.some(hasIt)) return path
  return undefined
}

const apiOf = (operation: string): string => operation.slice(0, operation.indexOf('.'))
const keyOf = (operation: string): string => operation.slice(operation.indexOf('.') + 1)
const quirksOf = ({ settings }: Api): string[] => Object.keys(settings?.quirks ?? {})

/** What is wrong with a path of an API that takes the requests for some model from an operation of other APIs. */
function findHidden(own: Api, others: readonly Api[]): string | undefined {
  const known = others.flatMap(({ operations }) =>
    operations.flatMap((operation) => {
      const paths = pathsOf(operation).filter((path) => path.includes('{model}'))
      return paths.map((path) => ({ path, name: operation.name }))
    }),
  )
  for (const operation of own.operations)
    for (const path of pathsOf(operation))
      for (const other of known) {
        const model = hiddenModel(path, other.path)
        if (model === undefined) continue
        return `operations.${keyOf(operation.name)}: route is "${path}", which hides ${other.path} (${other.name}) for the model "${model}". Change its path.`
      }
  return undefined
}

/**
 * Finds a fixed part of a path that hides a model of another path: `/v1/acme` takes the requests of `/v1/{model}` for the
 * model `acme`, because the router prefers fixed parts. Other parameters are ids, which are drawn and never equal a fixed
 * part.
 */
function hiddenModel(path: string, known: string): string | undefined {
  const parts = path.split('/')
  for (const [index, place] of known.split('/').entries()) {
    const part = parts[index]
    if (part === undefined) return undefined
    const [, verb] = /^\{model\}(.*)$/.exec(place) ?? []
    if (verb !== undefined && !part.startsWith('{') && part.endsWith(verb))
      return part.slice(0, part.length - verb.length)
    if (part.replace(/^\{\w+\}/, '{}') !== place.replace(/^\{\w+\}/, '{}')) return undefined
  }
  return undefined
}

function pathsOf({ path, aliases = [] }: Operation): string[] {
  return [path, ...aliases]
}

/** The methods and paths of the operations of an API that are served, with parameters of any name. */
function placesOf({ operations }: Api, options: object): (readonly [place: string, operation: string])[] {
  return operations
    .filter((operation) => operation.facts.role !== 'report' && isServed(operation, options))
    .flatMap((operation) => {
      const paths = pathsOf(operation).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
      return operation.methods.flatMap((method) =>
        paths.map(
          (path) => [`${method} ${path}${nameMatch(operation.facts.match)}`, operation.name] as const,
        ),
      )
    })
}

function definitionsAt(each: string | OwnApi, key: string): readonly OwnApi[] {
  if (typeof each === 'string') {
    const known = definitionsIn.get(each)
    if (known) return known
    throw new SettingsError(
      `${key} is "${each}", a file that was not loaded. In code, import the file and give what it exports.`,
    )
  }
  const { [made]: found } = each as WithApi
  if (!found) {
    throw new SettingsError(
      `${key} is not what defineApi returns. Import defineApi from greenroom/api, and give its result.`,
    )
  }
  if (found.version === version) return [each]
  throw new SettingsError(
    `${key} comes from greenroom ${found.version}, and this is greenroom ${version}. Install one of them only.`,
  )
}
