import type { OwnApi } from '../../engine/operations/own-api.ts'
import { SettingsError } from '../../scenario/options.ts'
import { version } from '../../version.ts'
import type { Api } from './api.ts'

/**
 * Where a definition has its API. A symbol of all copies of greenroom in a process: `greenroom/api` is a bundle of its own,
 * so that programs without such APIs load nothing more.
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
 * @throws {SettingsError} for another value, a file that was not loaded, and two APIs of one name.
 */
export function resolveApis(given: readonly (string | OwnApi)[] = [], shipped: readonly Api[] = []): Api[] {
  if (given.length === 0) return []
  const named = given.flatMap((each, index) => definitionsAt(each, `apis[${index}]`))
  const names = new Map(
    shipped.flatMap(({ operations }) => operations.map(({ name }) => [apiOf(name), 'greenroom'])),
  )
  const places = new Map(shipped.flatMap(placesOf))
  return [...new Set(named)].map((definition) => {
    const { api } = (definition as WithApi)[made]!
    const where = fileOf(definition) ?? `apis[${given.indexOf(definition)}]`
    const owner = names.get(api.name)
    if (owner !== undefined)
      throw new SettingsError(
        `${where}: the name is "${api.name}", which an API of ${owner} has. Write another name.`,
      )
    names.set(api.name, where)
    const ownPlaces = placesOf(api)
    for (const [place, operation] of ownPlaces) {
      const other = places.get(place)
      if (other !== undefined)
        throw new SettingsError(
          `${where}: operations.${operation.slice(api.name.length + 1)} has the route of ${other}: ${place}. Change its route.`,
        )
    }
    for (const [place, operation] of ownPlaces) places.set(place, operation)
    return api
  })
}

/** The file that defines an API, if it was loaded from one. */
function fileOf(definition: OwnApi): string | undefined {
  for (const [path, definitions] of definitionsIn) if (definitions.includes(definition)) return path
  return undefined
}

const apiOf = (operation: string): string => operation.slice(0, operation.indexOf('.'))

/** The methods and paths of the operations of an API, with parameters of any name; without those that an option brings. */
function placesOf({ operations }: Api): (readonly [place: string, operation: string])[] {
  return operations.flatMap(({ name, facts: { route, aliases = [], option } }) => {
    const words = route.split(' ')
    const paths = [words.at(-1)!, ...aliases].map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    const isServed = option === undefined
    return words
      .slice(0, -1)
      .flatMap((method) => paths.flatMap((path) => (isServed ? [[`${method} ${path}`, name] as const] : [])))
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
