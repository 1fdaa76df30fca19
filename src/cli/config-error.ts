/** A config file that can't be used. The message lists every mistake with file, line and column. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
