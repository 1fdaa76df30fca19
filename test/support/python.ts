import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs in Python of the tests, with their scenarios. */
export const pythonPrograms = fileURLToPath(new URL('../python/programs', import.meta.url))

/** The folder that a program loads to take part in the clock. */
export const pythonFolder = fileURLToPath(new URL('../../python', import.meta.url))

const hasPackages = (program: string, packages: readonly string[]): boolean =>
  spawnSync(program, ['-c', `import ${packages.join(', ')}`]).status === 0

/** A Python that has the packages: Debian's, if the first one of PATH is another. Undefined if none has. */
export function findPython(...packages: readonly string[]): string | undefined {
  return ['/usr/bin/python3', 'python3'].find((program) => hasPackages(program, ['sys', ...packages]))
}

const pyenv = join(homedir(), '.pyenv/versions')

/** Each minor version of CPython from 3.9 to 3.13 with its program; undefined where this machine has none. */
export const pythons: readonly (readonly [version: string, program: string | undefined])[] = [
  9, 10, 11, 12, 13,
].map((minor) => {
  const installed = existsSync(pyenv) ? readdirSync(pyenv) : []
  const name = installed.find((each) => each.startsWith(`3.${minor}.`))
  const candidates = [...(name === undefined ? [] : [join(pyenv, name, 'bin/python3')]), `python3.${minor}`]
  return [`3.${minor}`, candidates.find((program) => hasPackages(program, ['sys']))] as const
})
