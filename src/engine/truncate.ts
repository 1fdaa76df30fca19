/**
 * The beginning of a text, as a text of its own. What `slice` gives is a window on the whole, which it keeps alive: a
 * note of two hundred characters would hold thirty megabytes.
 *
 * @param most how many characters.
 */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : ` ${text.slice(0, most)}`.slice(1)
}
