const plain = /^[\w@%+=:,./-]+$/

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
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
}): string {
  const { seed, file, flags, command } = run
  // What begins with a hyphen would be taken for a flag.
  const seedWords = seed.startsWith('-') ? [`--seed=${seed}`] : ['--seed', seed]
  const words = ['greenroom', 'run', ...seedWords, ...flags, file.startsWith('-') ? `./${file}` : file]
  return [...words, ...(command.length === 0 ? [] : ['--', ...command])].map(shellWord).join(' ')
}
