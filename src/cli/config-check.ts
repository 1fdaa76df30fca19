import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml'
import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { checkValue, type Mistake } from './config-mistakes.ts'

/**
 * Parses and checks the text of a config file. JSON is YAML too, so that both have their lines known.
 * @throws {ConfigError} with every mistake: file:line:column, the value, and what to do.
 */
export function checkConfig(path: string, text: string): Config {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [syntax] = document.errors
  if (syntax) {
    const { line, col } = lines.linePos(syntax.pos[0])
    throw new ConfigError(`${path}:${line}:${col} ${syntax.message}`)
  }
  const checked = checkValue(document.toJS({ maxAliasCount: 100 }) ?? {})
  if ('config' in checked) return checked.config
  const told = checked.mistakes.map((mistake) => {
    const { line, col } = lines.linePos(offsetOf(document, mistake))
    return `${path}:${line}:${col} ${mistake.message}`
  })
  throw new ConfigError(told.join('\n'))
}

function offsetOf(document: Document, { place, isKey }: Mistake): number {
  return isKey ? keyOffset(document, place.slice(0, -1), place.at(-1)) : valueOffset(document, place)
}

function keyOffset(document: Document, place: readonly PropertyKey[], key: PropertyKey | undefined): number {
  const map = place.length === 0 ? document.contents : document.getIn(place, true)
  if (!isMap(map)) return 0
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key)
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0
}

function valueOffset(document: Document, place: readonly PropertyKey[]): number {
  // A missing value has no place of its own; whoever should have held it has.
  for (let length = place.length; length > 0; length--) {
    const node = document.getIn(place.slice(0, length), true) as
      { range?: [number, number, number] } | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}
