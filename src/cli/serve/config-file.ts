import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, isAbsolute, resolve, join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'

const texts = ['.yaml', '.yml', '.json']
const programs = ['.ts', '.mts', '.js', '.mjs']
const names = [...texts, ...programs].map((ending) => `greenroom.config${ending}`)

/** Which config files are looked for, for help. */
export const configNames = 'greenroom.config.yaml, .yml, .json, .ts, .mts, .js or .mjs'

/**
 * Finds the config file: the one that was named, or a `greenroom.config` of any kind in the folder.
 * @returns undefined when there is none and none was named.
 * @throws {ConfigError} when there is more than one.
 */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(folder, named)
  const found = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
  if (found.length > 1) {
    throw new ConfigError(
      `There is more than one config file: ${found.join(', ')}. Keep one, or name it with --config.`,
    )
  }
  return found[0]
}

/**
 * Reads and checks a config file. The readers of YAML, of TypeScript and of the schema are loaded only when there
 * is one.
 *
 * @throws {ConfigError} for a file that isn't there, can't be parsed or run, or says what isn't known.
 */
export async function readConfig(path: string): Promise<Config> {
  const text = read(path)
  return relativeTo(path, await check(path, text))
}

async function check(path: string, text: string): Promise<Config> {
  if (programs.includes(extname(path))) {
    const { runConfig } = await import('./config-module.ts')
    return runConfig(path, text)
  }
  const { checkConfig } = await import('./config-check.ts')
  return checkConfig(path, text)
}

/** Larger files are no configs. */
export const maxConfigBytes = 1024 * 1024

function read(path: string): string {
  try {
    const { size } = statSync(path)
    if (size > maxConfigBytes) {
      throw new ConfigError(
        `Failed to read ${path}: it has ${size} bytes, more than ${maxConfigBytes}. Give a config.`,
      )
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'it is not there' : code === 'EISDIR' ? 'it is a folder' : (error as Error).message
    throw new ConfigError(
      `Failed to read ${path}: ${why}. Give the path of a YAML, JSON, TypeScript or JavaScript file.`,
    )
  }
}

/** Paths in a file mean places beside the file. */
function relativeTo(path: string, config: Config): Config {
  const beside = (target: string): string => (isAbsolute(target) ? target : resolve(path, '..', target))
  return {
    ...config,
    ...(typeof config.cacheDir === 'string' ? { cacheDir: beside(config.cacheDir) } : {}),
    ...(config.state === undefined ? {} : { state: beside(config.state) }),
    ...(config.ffmpeg !== undefined && config.ffmpeg !== 'wasm' ? { ffmpeg: beside(config.ffmpeg) } : {}),
  }
}
