import { parseYaml } from '../../scenario/files/yaml-text.ts'
import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { checkValue } from './config-mistakes.ts'

/**
 * Parses and checks the text of a config file. JSON is YAML too, so that both have their lines known.
 * @throws {ConfigError} with every mistake: file:line:column, the value, and what to do.
 */
export function checkConfig(path: string, text: string): Config {
  const parsed = parseYaml(text)
  if ('mistakes' in parsed) {
    const told = parsed.mistakes.map(({ line, column, message }) => `${path}:${line}:${column} ${message}`)
    throw new ConfigError(told.join('\n'))
  }
  const checked = checkValue(parsed.value ?? {})
  if ('config' in checked) return checked.config
  const told = checked.mistakes.map(({ place, isKey, message }) => {
    const { line, column } = parsed.position(place, isKey)
    return `${path}:${line}:${column} ${message}`
  })
  throw new ConfigError(told.join('\n'))
}
