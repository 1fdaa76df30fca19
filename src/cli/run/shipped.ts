import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { packagePath } from '../../files/package-path.ts'
import { FileError, exitCodes, type Command } from '../terminal/command.ts'

/** A scenario of the package. */
interface ShippedScenario {
  readonly name: string
  readonly path: string
  /** A summary: its first comment. */
  readonly summary: string
}

const folder = (): string => packagePath('scenarios')

const shippedNames = (): string[] =>
  readdirSync(folder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'))
    .toSorted()

/** Lists the scenarios of the package by name. */
export function listShipped(): ShippedScenario[] {
  return shippedNames().map((name) => {
    const path = join(folder(), `${name}.yaml`)
    const [, summary = ''] = /^# Shows:\s*(.+)$/m.exec(readFileSync(path, 'utf8')) ?? []
    return { name, path, summary }
  })
}

/**
 * Finds the file of an argument: a path from the working folder, otherwise a scenario of the package, such as `lost-polls`
 * or `scenarios/lost-polls.yaml`.
 *
 * @throws {FileError} for a folder, and for an unknown name. A missing path is left to the loader.
 */
export function findScenario(argument: string, workingFolder: string): string {
  if (argument === '') throw new FileError('The name of a scenario file is empty. Is a variable not set?')
  const path = resolve(workingFolder, argument)
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) return path
    throw new FileError(
      `"${argument}" is a folder. Name the scenario files in it: ${argument.replace(/\/+$/, '')}/*.yaml`,
    )
  }
  const [, name, ending] = /^(?:(?:\.\/)?scenarios\/)?([\w-]+)(\.yaml)?$/.exec(argument) ?? []
  if (name === undefined) return path
  const names = shippedNames()
  if (names.includes(name)) return join(folder(), `${name}.yaml`)
  const meant = didYouMean(name, names)
  if (ending !== undefined && meant === '') return path
  throw new FileError(
    `"${argument}" is neither a file in ${workingFolder} nor a scenario of greenroom.${meant} greenroom scenarios lists them.`,
  )
}

/** `greenroom scenarios`: the scenarios of the package. */
export const scenarios: Command = {
  options: {
    json: { type: 'boolean', describe: 'Print JSON, with the path of each file' },
  },
  epilogue: [
    'Use a name in place of a file: greenroom run lost-polls -- npm test, or greenroom serve --scenario lost-polls.',
  ],
  examples: [
    ['greenroom scenarios', 'list names to use in place of files'],
    ['greenroom run lost-polls', 'play one of them'],
  ],
  run: async ({ flags }, { print }) => {
    const shipped = listShipped()
    const width = Math.max(...shipped.map(({ name }) => name.length))
    print(
      flags['json'] === true
        ? JSON.stringify(shipped, null, 2)
        : shipped.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`).join('\n'),
    )
    return exitCodes.ok
  },
}
