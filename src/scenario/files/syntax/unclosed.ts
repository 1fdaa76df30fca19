/** Matches quoted texts, comments, and brackets outside of both. A quote within a word of YAML is an apostrophe. */
const tokens = /"(?:[^"\\]|\\.)*"|(?<![^\s,{}[\]:])'(?:[^']|'')*'|(?<!\S)#[^\n]*|[{}[\]]/gs

/** An opening bracket and its closing one. */
export function bracketsAt(text: string, offset: number): { open: string; close: string } {
  return text[offset] === '{' ? { open: '{', close: '}' } : { open: '[', close: ']' }
}

/**
 * Finds an unclosed bracket in JSON or in the flow style of YAML.
 *
 * Parsers notice a missing bracket only at the end of the text, or at another kind of closing bracket. If a closing bracket
 * at the start of a line pairs with a line of another indentation, the bracket of that line is unclosed.
 *
 * @param end the offset at which the search ends.
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

/** The indentation of the line at an offset, and whether only blanks precede the offset. */
function indentOf(text: string, offset: number): { width: number; isFirst: boolean } {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const width = /^[ \t]*/.exec(text.slice(start, offset))![0].length
  return { width, isFirst: start + width === offset }
}
