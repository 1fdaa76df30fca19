import { FileError } from '../terminal/command.ts'

/** A config file that can't be used. The message lists every mistake with the file and, where it is known, line and column. */
export class ConfigError extends FileError {
  override name = 'ConfigError'
}
