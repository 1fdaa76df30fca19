/**
 * Copies the beginning of a text. In V8, `slice` returns a window that retains the whole: a note of two hundred
 * characters would retain thirty megabytes.
 *
 * @param most how many characters.
 */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : ` ${text.slice(0, most)}`.slice(1)
}
