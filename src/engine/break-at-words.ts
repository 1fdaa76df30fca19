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
