import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A path inside this package, wherever the code runs from: its sources, its build or a bundle. */
export function packagePath(...parts: readonly string[]): string {
  return join(dirname(createRequire(import.meta.url).resolve('greenroom/package.json')), ...parts)
}
