/** A message about the first comment in JSON; undefined if there is none. */
export function jsonComment(path: string, text: string): string | undefined {
  if (!path.endsWith('.json') && !/^\s*[{[]/.test(text)) return undefined
  // A comment follows a space or punctuation. In YAML, `//` after a colon may belong to a URL.
  const found = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|[\s,{}[\]])(\/\/|\/\*)/gm
  for (const { 1: comment, index } of text.matchAll(found)) {
    if (comment === undefined) continue
    return `${placeAt(path, text, index)}: JSON has no comments. Remove it, or save the file as .yaml and write # in front of comments.`
  }
  return undefined
}

function placeAt(path: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`
}

/** Why a text is not JSON, even if it is YAML; undefined if it is JSON. */
export function jsonMistake(path: string, text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const { offset, problem } = jsonProblem(text)
    const advice = 'Put keys and texts in double quotes, commas between entries only, or save it as .yaml.'
    return `${placeAt(path, text, offset)}: the file is not JSON: ${problem}. ${advice}`
  }
}

/** What is wrong in a text that is not JSON, and where. */
function jsonProblem(text: string): { offset: number; problem: string } {
  const offset = jsonEnd(text)
  const [found] = /^(?:[\w.+-]+|[^]?)/u.exec(text.slice(offset, offset + 40))!
  const before = text.slice(0, offset).trimEnd()
  const isEnd = /^[\]}]?$/.test(found)
  if (isEnd && found !== '' && before.endsWith(','))
    return { offset: before.length - 1, problem: `this comma is one too many in front of ${found}` }
  const unclosed = isEnd ? findUnclosed(text, offset + 1) : undefined
  if (unclosed !== undefined) {
    const { open, close } = bracketsAt(text, unclosed)
    return { offset: unclosed, problem: `this ${open} is not closed by ${close}` }
  }
  if (found === '') return { offset, problem: 'it ends too early' }
  jsonString.lastIndex = offset
  if (found === '"' && !jsonString.test(text))
    return { offset, problem: 'this text has no end, or a line break or backslash that JSON does not know' }
  const isValue = /^["{[\w.+-]/.test(found)
  if (isValue && before.length < offset && /["\w}\]]$/.test(before)) {
    const [value] = /^"[^"]{0,40}"?|^[^]/u.exec(text.slice(offset))!
    return { offset, problem: `a comma or colon is missing in front of ${value}` }
  }
  return { offset, problem: `${found} can't be here` }
}

/**
 * The offset of the first syntax error in JSON. The messages of JSON.parse can't be used: they depend on the JavaScript
 * engine.
 */
function jsonEnd(text: string): number {
  let offset = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)
    if (found) offset += found[0].length
    return found !== null
  }
  const takeToken = (pattern: RegExp): boolean => {
    take(/[ \t\r\n]*/y)
    return take(pattern)
  }
  const takeValue = (depth: number): boolean => {
    if (depth > maxJsonDepth || takeToken(jsonScalar)) return depth <= maxJsonDepth
    if (takeToken(/\{/y)) return takeEntries(() => takePair(depth + 1), /\}/y)
    return takeToken(/\[/y) && takeEntries(() => takeValue(depth + 1), /\]/y)
  }
  const takePair = (depth: number): boolean => takeToken(jsonString) && takeToken(/:/y) && takeValue(depth)
  const takeEntries = (takeEntry: () => boolean, end: RegExp): boolean => {
    if (takeToken(end)) return true
    do if (!takeEntry()) return false
    while (takeToken(/,/y))
    return takeToken(end)
  }
  takeValue(0)
  take(/[ \t\r\n]*/y)
  return offset
}

const maxJsonDepth = 500
const jsonString = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy
const jsonScalar = new RegExp(
  `${jsonString.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  'uy',
)

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
