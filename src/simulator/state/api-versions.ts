import { isObject } from '../../engine/is-object.ts'

/** The versions of the APIs of users, by name. */
export type ApiVersions = Readonly<Record<string, number>>

/**
 * Finds jobs that the definitions of this simulator may not be able to read.
 *
 * @param saved the versions when the jobs were stored. They may come from outside.
 * @param tasks the stored tasks, as values of the part `task`. Read only if an API differs.
 * @returns the end of a sentence, without a period; undefined if there are none.
 */
export function describeOtherApi(
  saved: Readonly<Record<string, unknown>>,
  served: ApiVersions,
  tasks: () => Iterable<unknown>,
): string | undefined {
  const others = Object.entries(saved).filter(([name, version]) => served[name] !== version)
  if (others.length === 0) return undefined
  const kinds = new Set(Array.from(tasks(), kindOf))
  const found = others.find(([name]) => kinds.has(name))
  if (!found) return undefined
  const [name, version] = found
  const present = served[name] === undefined ? 'no such API' : `version ${served[name]}`
  return `has jobs of the API "${name.slice(0, 40)}", version ${JSON.stringify(version)}, and ${present} is served`
}

/** The kind of a stored task; undefined for another value. */
function kindOf(value: unknown): unknown {
  const record = isObject(value) ? value['record'] : undefined
  return isObject(record) ? record['lifecycle'] : undefined
}
