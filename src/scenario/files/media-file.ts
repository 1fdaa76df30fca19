import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, resolve } from 'node:path'
import { formatProblem, signatureBytes } from '../../media/media-format.ts'
import { isInside } from '../../media/served-file.ts'

/**
 * Finds the file that a rule of a scenario serves. It must lie in the folder of the scenario file, symbolic links resolved.
 *
 * @param name as the rule has it.
 * @param scenario the path of the scenario file.
 * @returns the resolved path, or what is wrong with the name.
 */
export function findMediaFile(name: string, scenario: string): { path: string } | { problem: string } {
  const folder = dirname(scenario)
  const path = resolve(folder, name)
  if (isAbsolute(name)) return { problem: 'Name the file by its way from this one.' }
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return { problem: `but ${path} is not there. Name a file beside this one.` }
  const real = realpathSync(path)
  if (!isInside(realpathSync(folder), real)) {
    return { problem: `but ${real} is outside of the folder of this file. Copy it into that folder.` }
  }
  if (!found.isFile()) return { problem: `but ${path} is no plain file. Name a file.` }
  const problem = formatProblem(extname(name).toLowerCase(), readStart(real))
  return problem === undefined
    ? { path: real }
    : { problem: `which can't be served: ${problem}. Name a video or picture.` }
}

function readStart(path: string): Uint8Array {
  const start = new Uint8Array(signatureBytes)
  const file = openSync(path, 'r')
  try {
    return start.subarray(0, readSync(file, start))
  } finally {
    closeSync(file)
  }
}
