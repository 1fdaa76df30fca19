/**
 * Whether a text matches a pattern in which `*` stands for any characters. The time grows linearly with the text,
 * whatever the pattern.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  if (pattern === '*') return true
  // Most texts that don't match differ before the first asterisk.
  const star = pattern.indexOf('*')
  if (star > 0 && !text.startsWith(pattern.slice(0, star))) return false
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === text
  const first = parts[0]!
  const last = parts.at(-1)!
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
