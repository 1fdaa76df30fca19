const modes = ['fast', 'relax', 'turbo'] as const

/**
 * The other paths to one of the channel's: with a mode in front, in each of the ways that clients write it.
 * @assumed §9 modes in the path are not shown; wire §7.1.
 * @param path below `/mj`, beginning with a slash.
 */
export function pathsWithMode(path: string): string[] {
  return [`/{mode}/mj${path}`, ...modes.flatMap((mode) => [`/mj-${mode}${path}`, `/mj-${mode}/mj${path}`])]
}
