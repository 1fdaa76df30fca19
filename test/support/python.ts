import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The programs in Python of the tests, with their scenarios. */
export const pythonPrograms = fileURLToPath(new URL('../python/programs', import.meta.url))

const hasPackages = (program: string, packages: readonly string[]): boolean =>
  spawnSync(program, ['-c', `import ${packages.join(', ')}`]).status === 0

/** A Python that has the packages: Debian's, if the first one of PATH is another. Undefined if none has. */
export function findPython(...packages: readonly string[]): string | undefined {
  return ['/usr/bin/python3', 'python3'].find((program) => hasPackages(program, ['sys', ...packages]))
}
