import type { Environment } from './command.ts'

/** The words that start greenroom. npm sets a variable if npx or a package script started it. */
export function programWords(environment: Environment): string[] {
  return environment['npm_command'] === undefined ? ['greenroom'] : ['npx', 'greenroom']
}

/** Formats the same words for a command in a message, so that a reader can copy it. */
export function formatProgram(environment: Environment): string {
  return programWords(environment).join(' ')
}
