import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, isAbsolute, join, resolve } from 'node:path'
import { isPromise } from '../../engine/maybe-promise.ts'
import { decodeUtf8 } from '../../scenario/files/decode-utf8.ts'
import { placeText, ScenarioError } from '../../scenario/files/error.ts'
import { readFailure } from '../../scenario/files/file-error.ts'
import { literalPlaces } from '../../scenario/files/syntax/literal-places.ts'
import type { ReadFile } from '../../scenario/files/read-text.ts'
import type { ServerOptions } from '../../server/start.ts'
export { exampleKey } from '../../server/start.ts'
import type { LogFormat } from './log/log.ts'
import { FileError, type Environment } from '../terminal/command.ts'

/** The keys of a config file: options of the server, how `serve` prints, and variables that `run` sets. */
export interface Config extends ServerOptions {
  log?: LogFormat
  verbose?: boolean
  open?: boolean
  quiet?: boolean
  json?: boolean
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

/** A config file that can't be used. The message lists every mistake with the file, line and column if known. */
export class ConfigError extends FileError {
  override name = 'ConfigError'
}

const dataTypes = ['.yaml', '.yml', '.json']
const moduleTypes = ['.ts', '.mts', '.js', '.mjs']
export const maxConfigBytes = 1024 * 1024

/** The names of config files, for help. */
export const configNames = 'greenroom.config.yaml, .yml, .json, .ts, .mts, .js or .mjs'

/** Whether a config file is a program, rather than data. */
export function isModule(path: string): boolean {
  return moduleTypes.includes(extname(path))
}

/**
 * Finds the config file: the one that is named, or a `greenroom.config` of any type in the folder.
 * @returns undefined if there is none and none is named.
 * @throws {ConfigError} if there are several.
 */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(folder, named)
  const found = [...dataTypes, ...moduleTypes]
    .map((type) => join(folder, `greenroom.config${type}`))
    .filter((path) => existsSync(path))
  if (found.length > 1) {
    throw new ConfigError(`Found more than one config file: ${found.join(', ')}. Keep one, or pass --config.`)
  }
  return found[0]
}

/**
 * Reads and checks a config file. Relative paths in it are resolved against its folder.
 * @throws {ConfigError} for a file that is missing, can't be parsed or run, or has unknown keys or invalid values.
 */
export async function readConfig(path: string): Promise<Config> {
  const text = readText(path)
  const config = isModule(path) ? await readModule(path, text) : await parseConfig(path, text)
  const toAbsolute = (target: string): string => (isAbsolute(target) ? target : resolve(path, '..', target))
  const { cacheDir, state, ffmpeg } = config
  return {
    ...config,
    ...(typeof cacheDir === 'string' && { cacheDir: toAbsolute(cacheDir) }),
    ...(state !== undefined && { state: toAbsolute(state) }),
    ...(ffmpeg !== undefined && ffmpeg !== 'wasm' && { ffmpeg: toAbsolute(ffmpeg) }),
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch (error) {
    throw new ConfigError(`${path}: ${(error as Error).message}`)
  }
}

function readText(path: string): string {
  const advice = 'Name a YAML, JSON, TypeScript or JavaScript file.'
  try {
    const { size } = statSync(path)
    if (size <= maxConfigBytes) return decode(path, readFileSync(path))
    throw new ConfigError(
      `Failed to read ${path}: it has ${size} bytes, more than ${maxConfigBytes}. ${advice}`,
    )
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(readFailure(path, error, advice))
  }
}

/** Parses and checks a config file that is data, as scenario files are parsed. */
export async function parseConfig(path: string, text: string): Promise<Config> {
  const { parseText } = await import('../../scenario/files/read-text.ts')
  const { value, at } = await parseText(path, text).catch((error: unknown) => {
    throw error instanceof ScenarioError ? new ConfigError(error.message) : error
  })
  return checked(value, at)
}

/** @throws {ConfigError} with every mistake and its place. */
async function checked(value: unknown, at: ReadFile['at']): Promise<Config> {
  const found = await checkConfig(value)
  if ('config' in found) return found.config
  const lines = found.mistakes.map(
    ({ place, isKey, message }) => `${placeText(at(place, isKey))}: ${message}`,
  )
  throw new ConfigError(lines.join('\n'))
}

/** Runs a module: its default export is the config, or the export `config`. Its imports are loaded once. */
async function readModule(path: string, text: string): Promise<Config> {
  const { ModuleError, runModule } = await import('../../scenario/files/run-module.ts')
  const exported = await runModule(path, text).catch((error: unknown) => {
    if (error instanceof ModuleError) throw new ConfigError(error.message, { cause: error.cause })
    throw error
  })
  const { default: main, config = undefined } = (exported ?? {}) as { default?: unknown; config?: unknown }
  const value = main ?? config
  if (isPromise(value)) throw new ConfigError(`${path}: exports a promise as its config. Await it.`)
  if (typeof value !== 'object' || value === null) {
    const found = value === undefined ? 'exports no config' : `exports a ${typeof value} as its config`
    throw new ConfigError(
      `${path}: ${found}. Write export default { … } with the keys of the config file, or export const config = { … }.`,
    )
  }
  return checked(value, literalPlaces(path, text, value))
}

/** A mistake in a config. The message begins with the keys that lead to it. */
interface Mistake {
  readonly place: readonly PropertyKey[]
  /** Whether the last key of the place is wrong, rather than its value. */
  readonly isKey: boolean
  readonly message: string
}

async function checkConfig(value: unknown): Promise<{ config: Config } | { mistakes: Mistake[] }> {
  if (typeof value === 'object' && value !== null && 'version' in value) {
    const message = 'version is a key of scenarios. Pass the file to serve --scenario, or to greenroom run.'
    return { mistakes: [{ place: ['version'], isKey: true, message }] }
  }
  const [{ configSchema }, { checkAgainst, mistakeSentence }, { withoutNotes }] = await Promise.all([
    import('../../scenario/vocabulary/config-schema.ts'),
    import('../../scenario/schema/mistakes.ts'),
    import('../../scenario/files/check.ts'),
  ])
  const checked = checkAgainst(configSchema, withoutNotes(value))
  if ('value' in checked) return { config: checked.value as Config }
  return {
    mistakes: checked.mistakes.map((mistake) => ({
      place: mistake.place,
      isKey: mistake.isKey,
      message: mistakeSentence(mistake, 'the config'),
    })),
  }
}
