// Writes the answers of the golden exchanges as a list of the sources: the OpenAPI document shows them, and lint knows from them
// which fields an answer can have.
import { readdirSync, readFileSync } from 'node:fs'

/** Fields whose content clients choose, such as the arguments of a tool. */
const free = new Set(['args', 'input', 'metadata', 'parameters', 'properties', 'schema'])

/**
 * The source of the list: for each operation, answers of different shapes, without long texts.
 *
 * @param {string} folder the golden exchanges.
 */
export function answersSource(folder) {
  /** @type {Record<string, { json?: unknown[], events?: unknown[], refusals?: unknown[] }>} */
  const answers = {}
  /** @type {Record<string, Set<string>>} */
  const shapes = {}
  for (const name of readdirSync(folder).sort()) {
    const { response } = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
    const operation = name.split('.').slice(0, -2).join('.')
    const type = String(response.headers['content-type'] ?? '')
    if (typeof response.body !== 'string') continue
    const kind =
      response.status >= 400 ? 'refusals' : type.startsWith('text/event-stream') ? 'events' : 'json'
    for (const value of valuesOf(type, response.body)) {
      const seen = (shapes[`${operation} ${kind}`] ??= new Set())
      const known = seen.size
      const shortened = shorten(value, '', seen)
      if (seen.size > known) ((answers[operation] ??= {})[kind] ??= []).push(shortened)
    }
  }
  const type =
    'Readonly<Record<string, Readonly<Partial<Record<"json" | "events" | "refusals", readonly unknown[]>>>>>'
  return `export const goldens: ${type} = ${JSON.stringify(answers)}`
}

/**
 * @param {string} type
 * @param {string} body
 * @returns {unknown[]}
 */
function valuesOf(type, body) {
  if (type.startsWith('application/json')) return [JSON.parse(body)]
  if (!type.startsWith('text/event-stream')) return []
  const data = [...body.matchAll(/^data: (.*?)\r?$/gm)].map(([, text]) => String(text))
  return data.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text))
}

/**
 * A value with short texts, and without entries of lists whose shape is known. Notes the shapes of its parts.
 *
 * @param {unknown} value
 * @param {string} path
 * @param {Set<string>} seen
 * @returns {unknown}
 */
function shorten(value, path, seen) {
  if (Array.isArray(value)) {
    seen.add(`${path}[]`)
    return value.flatMap((each, index) => {
      const known = seen.size
      const shortened = shorten(each, `${path}[]`, seen)
      return index === 0 || seen.size > known ? [shortened] : []
    })
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    seen.add(`${path}{${entries.map(([key]) => key).join()}}`)
    return Object.fromEntries(
      entries.map(([key, each]) => {
        const isFree = free.has(key) && typeof each === 'object' && each !== null && !Array.isArray(each)
        return [key, isFree ? {} : shorten(each, `${path}.${key}`, seen)]
      }),
    )
  }
  seen.add(`${path}:${value === null ? 'null' : typeof value}`)
  return typeof value === 'string' && value.length > 80 ? `${value.slice(0, 80)}…` : value
}
