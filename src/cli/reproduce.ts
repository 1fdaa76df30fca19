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
  const words = ['greenroom', 'run', '--seed', seed, ...flags, file]
  return [...words, ...(command.length === 0 ? [] : ['--', ...command])].map(shellWord).join(' ')
}
