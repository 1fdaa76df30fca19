/** Texts in quotes, comments, and the brackets outside of both. A quote within a word of YAML is an apostrophe. */
const tokens = /"(?:[^"\\]|\\.)*"|(?<![^\s,{}[\]:])'(?:[^']|'')*'|(?<!\S)#[^\n]*|[{}[\]]/gs

/** An opening bracket and the one that closes it. */
export function bracketsAt(text: string, offset: number): { open: string; close: string } {
  return text[offset] === '{' ? { open: '{', close: '}' } : { open: '[', close: ']' }
}

/**
 * Finds the bracket whose partner is missing, in JSON or in the flow style of YAML.
 *
 * Parsers notice a missing bracket only where the text ends, or where another kind of bracket is closed. If a bracket at the
 * beginning of a line closes one whose line is indented differently, then that one is missing its own.
 *
 * @param end how far the text is searched.
 * @returns the offset of an opening bracket; undefined if none is open.
 */
export function findUnclosed(text: string, end: number): number | undefined {
  const open: number[] = []
  let suspect: number | undefined
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (index >= end) break
    if (token === '{' || token === '[') open.push(index)
    if (token !== '}' && token !== ']') continue
    const partner = open.pop()
    if (partner === undefined) return undefined
    if (bracketsAt(text, partner).close !== token) return partner
    const own = indentOf(text, index)
    if (own.isFirst && own.width !== indentOf(text, partner).width) suspect ??= partner
  }
  return open.length === 0 ? undefined : (suspect ?? open.at(-1))
}

/** How far the line of an offset is indented, and whether nothing else is in front of it. */
function indentOf(text: string, offset: number): { width: number; isFirst: boolean } {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const width = /^[ \t]*/.exec(text.slice(start, offset))![0].length
  return { width, isFirst: start + width === offset }
}
