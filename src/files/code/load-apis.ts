import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileOfOperation, knownApis, registerFile } from '../../apis/define/own-apis.ts'
import { watchFunctions } from '../../apis/define/watched-functions.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { ScenarioError } from '../error.ts'
import { packagePath } from '../package-path.ts'
import { blocksText, enterCode, leaveCode, watchesCode } from './blocked.ts'
import { isModule, moduleTypes } from '../file-types.ts'
import { readUserText } from '../read-file.ts'
import { codeFailure, exportedApis, runModule } from './run-module.ts'

const use = {
  advice: 'Name a file that exports what defineApi returns.',
  largeAdvice: 'Split it.',
}

/** Where the APIs that come with greenroom are: one file each, named as the API. */
const shippedFolder = (): string => packagePath('examples', 'apis')

/**
 * Loads the APIs that a user names. A file runs again in each call, so that edits count.
 *
 * @param named the values of `apis`: files, names of shipped APIs, or definitions.
 * @param folder relative paths are relative to it.
 * @returns the same values, with absolute paths.
 * @throws {ScenarioError} for a file that can't be read or run, or that exports no definition.
 */
export async function loadApis(
  named: readonly (string | OwnApi)[],
  folder: string,
): Promise<(string | OwnApi)[]> {
  const loaded: (string | OwnApi)[] = []
  for (const each of named) loaded.push(typeof each === 'string' ? await loadFile(each, folder) : each)
  return loaded
}

/** Whether a name is that of an API that comes with greenroom. */
export function isShippedApi(name: string): boolean {
  return !isModule(name)
}

async function loadFile(name: string, folder: string): Promise<string> {
  const path = findFile(name, folder)
  const text = readUserText(path, use)
  registerFile(path, definitionsOf(path, await runModule(path, text), text))
  endEndlessFunctions()
  return path
}

/** Lets a thread end the process when a function of a definition does not end. */
function endEndlessFunctions(): void {
  if (!watchesCode()) return
  watchFunctions({
    enter: (operation, part) =>
      enterCode(`${operation} ${part}`, () => ({
        file: fileOfOperation(operation) ?? operation,
        message: `${part} of ${operation} ${blocksText} Functions of a definition must return.`,
      })),
    leave: leaveCode,
  })
}

/** A name without an extension and a slash is that of a shipped API. */
function findFile(name: string, folder: string): string {
  if (isModule(name)) return isAbsolute(name) ? name : resolve(folder, name)
  const shipped = join(shippedFolder(), `${name}.ts`)
  if (/^[a-z][a-z0-9-]*$/.test(name) && existsSync(shipped)) return shipped
  const hint = didYouMean(name, shippedApis())
  throw new ScenarioError(
    `There is no API "${name}".${hint} Name a file that ends in ${moduleTypes.join(', ')}, or one of ${shippedApis().join(', ')}.`,
  )
}

/** The names of the APIs that come with greenroom. */
export function shippedApis(): string[] {
  if (!existsSync(shippedFolder())) return []
  return readdirSync(shippedFolder())
    .filter((file) => extname(file) === '.ts')
    .map((file) => basename(file, '.ts'))
    .toSorted()
}

/** The path as a user names it: relative to a folder, or the name of a shipped API. */
export function nameApiFile(path: string, folder: string): string {
  if (dirname(path) === shippedFolder()) return basename(path, '.ts')
  const name = relative(folder, path).replaceAll('\\', '/')
  return name.startsWith('.') || isAbsolute(name) ? name : `./${name}`
}

function definitionsOf(path: string, exported: unknown, text: string): OwnApi[] {
  try {
    const found = exportedApis(exported)
    // Reads the APIs, since a proxy may throw.
    if (knownApis(found).length > 0) return found
  } catch (error) {
    throw codeFailure(path, error, text)
  }
  throw new ScenarioError(
    `${path}: exports no API. Write export default defineApi({ … }), with defineApi of greenroom/api.`,
  )
}
