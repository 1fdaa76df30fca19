import { readFileSync } from 'node:fs'
import { helpWidth } from './command.ts'

/**
 * The answer to a command line that only asks what there is to say, as it was written when the package was built: to
 * lay it out anew takes longer than all else that a command line needs.
 *
 * @param words the arguments, without program and script.
 * @param environment its `COLUMNS` may say that the terminal is narrower than {@link helpWidth}.
 * @returns undefined where something else is asked, narrower lines are needed, or nothing was built.
 */
export function writtenHelp(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const asked =
    words.length === 0 ? '--help' : words.map((word) => (word === '-h' ? '--help' : word)).join(' ')
  const asksOnly = asked.endsWith('--help') || asked === '--version'
  if (!asksOnly || Number(environment['COLUMNS'] || helpWidth) < helpWidth) return undefined
  try {
    const written = readFileSync(new URL('help.json', import.meta.url), 'utf8')
    return (JSON.parse(written) as Record<string, string>)[asked]
  } catch {
    return undefined
  }
}
