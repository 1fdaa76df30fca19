import type { Options } from 'yargs'
import { UsageError } from '../terminal/command.ts'
import { textOf } from '../terminal/flags.ts'

export const variablesFlag: Options = {
  type: 'string',
  array: true,
  nargs: 1,
  describe:
    'Set a variable for COMMAND, such as MY_GATEWAY=${url}/v1; ${url} and ${key} are those of the server; repeatable',
}

/** @throws {UsageError} for anything but `NAME=VALUE`. */
export function readVariables(value: unknown): Record<string, string> {
  const texts = [value ?? []].flat().map((each) => textOf('env', each))
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, content] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
      if (name !== undefined && content !== undefined) return [name, content]
      throw new UsageError(`--env is "${text}": write NAME=VALUE, such as --env 'MY_GATEWAY=\${url}/v1'.`)
    }),
  )
}
