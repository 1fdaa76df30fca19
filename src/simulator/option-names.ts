import { nameProblem, type NamesOf } from '../engine/known-names.ts'
import { SettingsError } from '../surfaces/video/settings.ts'
import type { ConfigFile, SimulatorOptions } from './options.ts'

const ofSimulators: NamesOf<SimulatorOptions> = {
  seed: true,
  clock: true,
  keys: true,
  strictKeys: true,
  quirks: true,
  profile: true,
  pace: true,
  rules: true,
  throttles: true,
  text: true,
  nativeKeyHeaders: true,
  prices: true,
  discount: true,
  models: true,
  video: true,
  drawing: true,
  retention: true,
  quality: true,
  caption: true,
  magicPrompts: true,
  identity: true,
  limits: true,
  fetchImages: true,
  shard: true,
  publicUrl: true,
  controlOrigins: true,
  controlToken: true,
  media: true,
  onWarning: true,
}

/** What only a server makes anything of; a config file may be given whole to whoever has none. */
const ofServers: NamesOf<Omit<ConfigFile, keyof SimulatorOptions>> = {
  name: true,
  description: true,
  port: true,
  host: true,
  ffmpeg: true,
  cacheDir: true,
  state: true,
  stateSync: true,
  quiet: true,
  json: true,
  env: true,
}

/**
 * @param own names that are known beside those of every simulator.
 * @throws {SettingsError} for options with a name that nobody knows.
 */
export function checkOptionNames(given: unknown, own: Readonly<Record<string, true>> = {}): void {
  const problem = nameProblem(given, { ...ofSimulators, ...ofServers, ...own })
  if (problem !== undefined) throw new SettingsError(`Failed to read the options: ${problem}`)
}
