import { caps } from '../engine/caps.ts'
import {
  Composer,
  CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type YAMLError,
  YAMLParseError,
} from 'yaml'
export { stringify } from 'yaml'
import { didYouMean } from '../engine/did-you-mean.ts'

/** The maximum number of reported mistakes. */
const maxListed = 20

/** A mistake that the parser accepts. */
interface SilentMistake {
  readonly offset: number
  readonly message: string
}

/**
 * Finds integers, as values and as keys, that a double can't represent. Rounding would turn a seed of nineteen digits into
 * another seed than the same digits after `--seed`.
 */
function roundedNumbers(document: Document): SilentMistake[] {
  const found: SilentMistake[] = []
  visit(document, {
    Scalar: (_key, { value, source, range }) => {
      if (typeof value !== 'number' || source === undefined || !isRounded(value, source)) return undefined
      const message = `${source.slice(0, 64)} has more digits than a number keeps: it would be read as ${value}. Write it in quotes.`
      found.push({ offset: range?.[0] ?? 0, message })
      return found.length === maxListed ? visit.BREAK : undefined
    },
  })
  return found
}

/** Finds mappings and lists as keys, such as those of an unquoted template: `{{ name }}`. */
function collectionKeys(document: Document): SilentMistake[] {
  const found: SilentMistake[] = []
  visit(document, {
    Pair: (_, { key }) => {
      if (!isCollection(key)) return undefined
      found.push({
        offset: key.range?.[0] ?? 0,
        message: 'a mapping or a list is no key. Put text that begins with { or [ in quotes.',
      })
      return found.length === maxListed ? visit.BREAK : visit.SKIP
    },
  })
  return found
}

function isRounded(value: number, source: string): boolean {
  if (!/^[-+]?(\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source) || Number.isSafeInteger(value)) return false
  return String(value) !== source
}

/** A syntax error, with its position. */
interface YamlMistake {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A parsed YAML or JSON text, with the position of every value. */
interface YamlText {
  readonly value: unknown
  /** Returns line and column of the value at a path of keys and indexes, or of its key. */
  readonly position: (place: readonly PropertyKey[], isKey: boolean) => { line: number; column: number }
}

/** The maximum number of aliases in a text. */
export const maxAliases = 100

/** The maximum number of each of these tokens. Real files have few, and each costs as much as twenty others. */
const maxRare = 1_000
const rareTokens: ReadonlySet<string> = new Set([
  'alias',
  'anchor',
  'tag',
  'directive-line',
  'doc-start',
  'doc-end',
])

class TooMany extends Error {}

/** Limits the nesting. V8 ends the process if it compiles a regular expression while the call stack is exhausted. */
class BoundedParser extends Parser {
  count = 0
  #rare = 0
  #before = '';

  override *next(source: string): Generator<CST.Token, void> {
    yield* super.next(source)
    if (this.stack.length > caps.fileDepth) throw new RangeError('nested too deep')
    this.count += 1
    const type = CST.tokenType(source) ?? 'error'
    // Entries without a value, such as in `[,,]`, and closing brackets without an opening one.
    const isEmpty = type === 'comma' && this.#before === 'comma'
    const isUnopened = this.stack.length < 3 && /^flow-\w+-end$/.test(type)
    if (isEmpty || isUnopened || rareTokens.has(type)) this.#rare += 1
    if (type !== 'space' && type !== 'newline') this.#before = type
    if (this.count > caps.fileTokens || this.#rare > maxRare) throw new TooMany()
  }
}

function readTokens(text: string, lines: LineCounter): CST.Token[] {
  const parser = new BoundedParser(lines.addNewLine)
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) tokens.push(...parser.next(lexeme))
  tokens.push(...parser.end())
  return tokens
}

/** Finds duplicate keys. The library's own check takes quadratic time. */
function duplicateKeys(document: Document): SilentMistake[] {
  const found: SilentMistake[] = []
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (known.has(key.value) && key.value !== '<<')
          found.push({ offset: key.range?.[0] ?? 0, message: 'duplicate key. Keep one.' })
        known.add(key.value)
      }
      return found.length > maxListed ? visit.BREAK : undefined
    },
  })
  return found.slice(0, maxListed)
}

/**
 * Parses YAML, and JSON as a subset of it. Supports anchors and merge keys (`<<`).
 * @returns the parsed text, or every syntax error.
 */
export function readYaml(text: string): YamlText | { mistakes: readonly YamlMistake[] } {
  const lines = new LineCounter()
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  try {
    lines.addNewLine(0)
    const tokens = readTokens(text, lines)
    const composer = new Composer({ prettyErrors: false, merge: true, uniqueKeys: false })
    const [first, second] = composer.compose(tokens, true, text.length)
    const document = first!
    if (second)
      document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''))
    const wrong = [...document.errors, ...document.warnings].slice(0, 20)
    const unquoted = wrong.map(({ pos }) => unquotedPlaceholder(text, pos[0])).find((found) => found)
    if (unquoted) return { mistakes: [{ ...at(unquoted.offset), message: unquoted.message }] }
    if (wrong.length > 0) {
      return { mistakes: wrong.map((error) => ({ ...at(error.pos[0]), message: inWords(error) })) }
    }
    for (const find of [unresolvedAliases, collectionKeys, duplicateKeys, roundedNumbers]) {
      const found = find(document)
      if (found.length > 0)
        return { mistakes: found.map(({ offset, message }) => ({ ...at(offset), message })) }
    }
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    return {
      value,
      position: (place, isKey) =>
        at(isKey ? keyOffset(document, place.slice(0, -1), place.at(-1)) : valueOffset(document, place)),
    }
  } catch (error) {
    return { mistakes: [{ line: 1, column: 1, message: failure(error as Error) }] }
  }
}

/** Finds a `${url}` without quotes in `{ … }`. Its braces end the mapping, and cause the errors after it. */
function unquotedPlaceholder(text: string, offset: number): SilentMistake | undefined {
  const [found] = /^\$\{\w+\}[^\s,}\]]*/.exec(text.slice(offset - 1, offset + 200)) ?? []
  return found === undefined
    ? undefined
    : { offset: offset - 1, message: `braces have a meaning here. Put it in quotes: "${found}".` }
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS')
    return 'a second document begins here. Put each scenario into a file of its own.'
  const advice = yamlAdvice[code]
  return `${message.replace(/\s*\n[\s\S]*$/, '').replace(/[.:]$/, '')}.${advice === undefined ? '' : ` ${advice}`}`
}

/** What to do about common mistakes, by their code. */
const yamlAdvice: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that contains ": " in quotes, and check the indentation.',
  MULTILINE_IMPLICIT_KEY: 'Check the indentation, and that a colon follows each key.',
  TAB_AS_INDENT: 'Use spaces.',
}

/** Finds aliases whose anchor is missing or comes later. */
function unresolvedAliases(document: Document): SilentMistake[] {
  const anchors = new Set<string>()
  const found: { offset: number; source: string }[] = []
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) found.push({ offset: node.range?.[0] ?? 0, source: node.source })
      } else if ('anchor' in node && node.anchor) anchors.add(node.anchor)
    },
  })
  return found.slice(0, 20).map(({ offset, source }) => {
    const message = `no anchor is called "${source}" up to here.${didYouMean(source, [...anchors])} Write &${source} in front of the value that it stands for.`
    return { offset, message }
  })
}

function failure(error: Error): string {
  if (error instanceof TooMany)
    return `it has more than ${caps.fileTokens} tokens, or very many of a rare kind. Split it.`
  const { name, message } = error
  if (name === 'RangeError') return 'it is nested too deep. Nest less.'
  if (/alias/i.test(message)) {
    return `it refers to other parts of itself more often than ${maxAliases} times over. Use fewer aliases.`
  }
  return `${message}.`
}

/** The node at a path of keys and indexes, through aliases and merge keys. */
function nodeAt(document: Document, place: readonly PropertyKey[]): unknown {
  let node: unknown = document.contents
  for (const step of place) {
    node = childOf(document, resolve(document, node), step)
    if (node === undefined) return undefined
  }
  return node
}

function childOf(document: Document, node: unknown, step: PropertyKey): unknown {
  if (!isMap(node)) {
    return typeof node === 'object' && node !== null && 'items' in node
      ? (node.items as unknown[])[Number(step)]
      : undefined
  }
  const own = node.items.find(({ key }) => keyText(key) === String(step))
  if (own) return own.value ?? own.key
  for (const { key, value } of node.items) {
    if (keyText(key) !== '<<') continue
    const merged = resolve(document, value)
    const sources = isMap(merged) ? [merged] : ((merged as { items?: unknown[] } | null)?.items ?? [])
    for (const source of sources) {
      const found: unknown = childOf(document, resolve(document, source), step)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined
}

function resolve(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node
}

function keyOffset(document: Document, place: readonly PropertyKey[], key: PropertyKey | undefined): number {
  const map = resolve(document, nodeAt(document, place))
  if (!isMap(map)) return valueOffset(document, place)
  const pair = map.items.find((item) => keyText(item.key) === String(key))
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : valueOffset(document, [...place, key!])
}

function valueOffset(document: Document, place: readonly PropertyKey[]): number {
  // A missing value has no position, so its parent's is used.
  for (let length = place.length; length >= 0; length--) {
    const node = nodeAt(document, place.slice(0, length)) as { range?: [number, number, number] } | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}
