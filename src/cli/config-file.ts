import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, resolve, join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'

const names = ['greenroom.config.yaml', 'greenroom.config.yml', 'greenroom.config.json']

/**
 * Reads the config file: the one that was named, or `greenroom.config.yaml`, `.yml` or `.json` in the folder.
 * The readers of YAML and of the schema are loaded only when there is one.
 *
 * @returns an empty config when there is no file and none was named.
 * @throws {ConfigError} for a file that isn't there, can't be parsed or says what isn't known.
 */
export async function loadConfig(folder: string, named: string | undefined): Promise<Config> {
  const path = named === undefined ? findConfig(folder) : resolve(folder, named)
  if (path === undefined) return {}
  const text = read(path)
  const { checkConfig } = await import('./config-check.ts')
  return relativeTo(path, checkConfig(path, text))
}

function findConfig(folder: string): string | undefined {
  const found = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
  if (found.length > 1) {
    throw new ConfigError(
      `There is more than one config file: ${found.join(', ')}. Keep one, or name it with --config.`,
    )
  }
  return found[0]
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'it is not there' : code === 'EISDIR' ? 'it is a folder' : (error as Error).message
    throw new ConfigError(`Failed to read ${path}: ${why}. Give the path of a YAML or JSON file.`)
  }
}

/** Paths in a file mean places beside the file. */
function relativeTo(path: string, config: Config): Config {
  const beside = (target: string): string => (isAbsolute(target) ? target : resolve(path, '..', target))
  return {
    ...config,
    ...(typeof config.cacheDir === 'string' ? { cacheDir: beside(config.cacheDir) } : {}),
    ...(config.ffmpeg !== undefined && config.ffmpeg !== 'wasm' ? { ffmpeg: beside(config.ffmpeg) } : {}),
  }
}
