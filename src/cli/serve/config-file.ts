import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isOwnApi } from '../../apis/define/own-apis.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { placeText } from '../../files/error.ts'
import { dataTypes, moduleTypes } from '../../files/file-types.ts'
import { readUserFile, type FileUse } from '../../files/read-file.ts'
import type { Unchecked } from '../../files/read-text.ts'
import type { ServerOptions } from '../../server/start.ts'
export { exampleKey } from '../../server/start.ts'
import type { LogFormat } from './log/log.ts'
import { FileError, type Environment } from '../terminal/command.ts'

/** The keys of a config file: options of the server, the output of `serve`, and variables that `run` sets; and two flags. */
export interface Config extends ServerOptions {
  log?: LogFormat
  verbose?: boolean
  open?: boolean
  env?: Readonly<Record<string, string>>
}

/** The options that the environment sets, unless the config does. */
export function environmentOptions(
  { controlToken, ffmpeg }: { controlToken?: string; ffmpeg?: string },
  environment: Environment,
): { controlToken?: string; ffmpeg?: string } {
  const token = controlToken ?? environment['GREENROOM_CONTROL_TOKEN']
  const encoder = ffmpeg ?? environment['GREENROOM_FFMPEG']
  return { ...(token && { controlToken: token }), ...(encoder && { ffmpeg: encoder }) }
}

const use: FileUse = {
  noun: 'config',
  advice: 'Name a YAML, JSON, TypeScript or JavaScript file.',
  largeAdvice: 'Make it smaller.',
  example: 'export default { … } with the keys of the config file',
}

/** The names of config files, for help. */
export const configNames = 'greenroom.config.yaml, .yml, .json, .ts, .mts, .js or .mjs'

/**
 * Finds the config file: the given one, or a `greenroom.config` of any type in the folder.
 * @returns undefined if there is none.
 * @throws {FileError} if there are several.
 */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(folder, named)
  const found = [...dataTypes, ...moduleTypes]
    .map((type) => join(folder, `greenroom.config${type}`))
    .filter((path) => existsSync(path))
  if (found.length > 1) {
    throw new FileError(`Found more than one config file: ${found.join(', ')}. Keep one, or pass --config.`)
  }
  return found[0]
}

/**
 * Reads and checks a config file. Relative paths in it are resolved against its folder.
 * @throws {ScenarioError} {FileError} for a file that is missing, can't be parsed or run, or has unknown keys or invalid values.
 */
export async function readConfig(path: string): Promise<Config> {
  const config = await checkConfig(await readUserFile(path, use))
  const toAbsolute = (target: string): string => (isAbsolute(target) ? target : resolve(path, '..', target))
  const { cacheDir, state, ffmpeg } = config
  return {
    ...config,
    ...(typeof cacheDir === 'string' && { cacheDir: toAbsolute(cacheDir) }),
    ...(state !== undefined && { state: toAbsolute(state) }),
    ...(ffmpeg !== undefined && ffmpeg !== 'wasm' && { ffmpeg: toAbsolute(ffmpeg) }),
  }
}

/** @throws {ScenarioError} {FileError} with every mistake and its place. */
export async function checkConfig({ value, at }: Unchecked): Promise<Config> {
  const apis = await loadConfigApis(value, at)
  if (typeof value === 'object' && value !== null && 'version' in value) {
    const message = 'version is a key of scenarios. Pass the file to serve --scenario, or to greenroom run.'
    throw new FileError(`${placeText(at(['version'], true))}: ${message}`)
  }
  const [{ configSchema }, { checkAgainst, mistakeSentence }, { withoutNotes }, { operationsWith }] =
    await Promise.all([
      import('../../scenario/vocabulary/config-schema.ts'),
      import('../../scenario/schema/mistakes.ts'),
      import('../../files/check.ts'),
      import('../../apis/index.ts'),
    ])
  const operations = operationsWith(apis)
  const checked = checkAgainst(configSchema(operations), withoutNotes(value), operations)
  if ('value' in checked) return { ...(checked.value as Config), ...(apis && { apis }) }
  const lines = checked.mistakes.map(
    (mistake) => `${placeText(at(mistake.place, mistake.isKey))}: ${mistakeSentence(mistake, 'the config')}`,
  )
  throw new FileError(lines.join('\n'))
}

/** Loads the APIs that a config names. Their operations may be in its rules. */
async function loadConfigApis(value: unknown, at: Unchecked['at']): Promise<(string | OwnApi)[] | undefined> {
  const named = (value as { apis?: unknown } | undefined)?.apis
  if (!Array.isArray(named) || named.some((each) => typeof each !== 'string' && !isOwnApi(each)))
    return undefined
  const { loadApis } = await import('../../files/code/load-apis.ts')
  const { file } = at(['apis'])
  return loadApis(named as (string | OwnApi)[], dirname(file))
}
