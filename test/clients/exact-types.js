import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/**
 * Compiles what the gateway sends against the types of a package. The compiler finds each field that is missing, has another
 * type, or is unknown to the types.
 *
 * @param {string} file the program that is compiled
 * @param {string} imports its first line
 * @param {Record<string, readonly object[]>} objects by their type
 * @param {Record<string, string>} newer why the gateway sends fields that these types do not know yet, by type and path:
 * `Message usage.speed`. Each must be sent, and be unknown.
 */
export function checkTypes(file, imports, objects, newer = {}) {
  const lines = Object.entries(objects).flatMap(([type, values], index) => {
    const paths = Object.keys(newer).flatMap((each) =>
      each.startsWith(`${type} `) ? each.slice(type.length + 1) : [],
    )
    const declare = (name, list) => `export const ${name}: ${type}[] = ${JSON.stringify(list)}`
    const known = declare(
      `known${index}`,
      values.map((value) => without(value, paths)),
    )
    const unknown = paths.map((path, at) => {
      const others = paths.filter((each) => each !== path)
      const sent = values.filter((value) => JSON.stringify(without(value, [path])) !== JSON.stringify(value))
      assert.notEqual(sent.length, 0, `The gateway doesn't send ${path} of ${type}`)
      const list = sent.slice(0, 1).map((value) => without(value, others))
      return `// @ts-expect-error ${newer[`${type} ${path}`]}\n${declare(`newer${index}_${at}`, list)}`
    })
    return [known, ...unknown]
  })
  writeFileSync(file, [imports, ...lines, ''].join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
  try {
    execFileSync('node_modules/.bin/tsc', [...options, file], { encoding: 'utf8' })
  } catch (error) {
    throw new Error(error.stdout)
  }
}

/** A copy without the fields at some paths. A path names no places of lists. */
function without(value, paths, path = '') {
  if (Array.isArray(value)) return value.map((each) => without(each, paths, path))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    each,
    path === '' ? name : `${path}.${name}`,
  ])
  return Object.fromEntries(
    fields
      .filter(([, , at]) => !paths.includes(at))
      .map(([name, each, at]) => [name, without(each, paths, at)]),
  )
}
