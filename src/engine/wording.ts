/** The beginning of a value as JSON, for messages. */
export function quote(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 60)
}

/** `1 request`, `3 requests`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A number as an ordinal: 1st, 2nd, 3rd, 4th, 11th. */
export function formatOrdinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  const suffix = isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]
  return `${number}${suffix ?? 'th'}`
}

/**
 * Copies the beginning of a text. In V8, `slice` returns a window that retains the whole: a note of two hundred
 * characters would retain thirty megabytes.
 *
 * @param most how many characters.
 */
export function truncate(text: string, most: number): string {
  return text.length <= most ? text : ` ${text.slice(0, most)}`.slice(1)
}

/**
 * Breaks a text into lines at spaces. A longer word stays whole.
 * @param maxLength of a line, in characters.
 * @param firstMaxLength of the first line.
 */
export function breakAtWords(text: string, maxLength: number, firstMaxLength = maxLength): string[] {
  const [first = '', ...words] = text.split(' ')
  const lines = [first]
  for (const word of words) {
    const last = lines.length - 1
    const joined = lines[last] === '' ? word : `${lines[last]} ${word}`
    if (lines[last] === '' || joined.length <= (last === 0 ? firstMaxLength : maxLength)) lines[last] = joined
    else lines.push(word)
  }
  return lines
}
