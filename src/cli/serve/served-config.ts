import { resolve } from 'node:path'
import type { Config } from './config.ts'
import { findConfig, readConfig } from './config-file.ts'
import { applyFlags, textOf } from '../terminal/flags.ts'
import { loadScenarios, type NamedScenario } from '../run/load-scenarios.ts'

/** What `serve` was told by its files. */
export interface Served {
  /** Reads the files and puts the flags over them. */
  readonly read: () => Promise<Config>
  /** The file that is named when it was read again; undefined when there is none. */
  readonly path: string | undefined
  /** Whether that is a scenario. */
  readonly isScenario: boolean
  /** Those that are looked after for changes. */
  readonly files: () => readonly string[]
}

/**
 * Finds the files that `serve` reads: a config, a scenario, both or none. The scenario wins over the config, and flags
 * over both.
 *
 * @throws {UsageError} {ConfigError} for files that can't be told.
 */
export function servedBy(flags: Readonly<Record<string, unknown>>, folder: string): Served {
  const named = flags['config'] === undefined ? undefined : textOf('config', flags['config'])
  const path = findConfig(folder, named)
  const scenario =
    flags['scenario'] === undefined ? undefined : resolve(folder, textOf('scenario', flags['scenario']))
  let parts: readonly string[] = []
  return {
    path: scenario ?? path,
    isScenario: scenario !== undefined,
    files: () => [...(path === undefined ? [] : [path]), ...parts],
    read: async () => {
      const config = path === undefined ? {} : await readConfig(path)
      if (scenario === undefined) return applyFlags(config, flags)
      const [loaded] = await loadScenarios([scenario], { folder })
      parts = loaded!.loaded.files
      return applyFlags(withScenario(config, loaded!), flags)
    },
  }
}

function withScenario(config: Config, { loaded: { scenario } }: NamedScenario): Config {
  const { seed, clock, rules = [], limits = [] } = scenario
  return {
    ...config,
    ...(scenario.config as Config | undefined),
    ...(seed === undefined ? {} : { seed }),
    ...(clock === undefined ? {} : { clock }),
    rules: [...rules, ...(config.rules ?? [])],
    throttles: [...limits, ...(config.throttles ?? [])],
  }
}
