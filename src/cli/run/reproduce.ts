const plain = /^[\w@%+=:,./-]+$/

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** The program as it was started: npm sets a variable that tells whether npx or a script of a package did. */
export function programWords(environment: Readonly<Record<string, string | undefined>>): string[] {
  return environment['npm_command'] === undefined ? ['greenroom'] : ['npx', 'greenroom']
}

/**
 * The line that does a run again.
 * @param flags what was said on the command line beside seed and reports.
 */
export function reproduceLine(run: {
  readonly seed: string
  readonly file: string
  readonly flags: readonly string[]
  readonly command: readonly string[]
  /** Variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>
}): string {
  const { seed, file, flags, command, environment } = run
  const program = programWords(environment)
  // What begins with a hyphen would be taken for a flag.
  const seedWords = seed.startsWith('-') ? [`--seed=${seed}`] : ['--seed', seed]
  const words = [...program, 'run', ...seedWords, ...flags, file.startsWith('-') ? `./${file}` : file]
  return [...words, ...(command.length === 0 ? [] : ['--', ...command])].map(shellWord).join(' ')
}
