import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Rng } from '../write/rng.ts'
import type { Words } from '../write/words.ts'
import { fits } from './fits.ts'
import { drawFormat } from './formats.ts'
import { inventText } from './hints.ts'
import type { SchemaNode } from './node.ts'
import { schemaWork } from './schema-work.ts'

/** The units of drawing a text once. */
const attemptWork = 5

/** How often a format and a pattern are tried together. */
const attempts = 8

/**
 * A text that all nodes take.
 * @param invent a text that suits the property, before lengths are heeded.
 * @returns undefined when none was found.
 */
export function drawText(
  nodes: readonly SchemaNode[],
  invent: () => string,
  dice: Rng,
  words: Words,
  work: WorkBudget,
): string | undefined {
  const suits = (text: string): boolean => nodes.every((node) => fits(asText(node), text, work))
  const min = Math.max(0, ...nodes.map(({ minLength = 0 }) => minLength))
  const max = Math.min(...nodes.map(({ maxLength = Infinity }) => maxLength), Infinity)
  if (max < min) return undefined
  const patterns = nodes.flatMap(({ pattern }) => pattern ?? [])
  const formats = nodes.flatMap(({ format }) => format ?? [])

  for (let attempt = 0; attempt < attempts; attempt++) {
    work.spend((formats.length + 1) * attemptWork, schemaWork)
    const luck = dice.of(String(attempt))
    const found = formats.flatMap((format) => drawFormat(format, luck, words) ?? []).find(suits)
    if (found !== undefined) return found
    for (const pattern of patterns) {
      const text = pattern.draw({ min, max }, (key) => luck.unit(key), work)
      if (text !== undefined && suits(text)) return text
    }
    if (patterns.length === 0) break
  }
  const free = withLength(invent(), min, max, dice, words, work)
  return suits(free) ? free : undefined
}

/** Only what the node says of texts itself: its alternatives are held to elsewhere. */
function asText({ pointer, minLength, maxLength, pattern, format }: SchemaNode): SchemaNode {
  return {
    pointer,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
  }
}

/** Cuts at a word where that leaves enough, and goes on with further words where it is too short. */
function withLength(
  text: string,
  min: number,
  max: number,
  dice: Rng,
  words: Words,
  work: WorkBudget,
): string {
  const parts = [text]
  let length = [...text].length
  for (let more = 0; length < min; more++) {
    work.spend(attemptWork, schemaWork)
    const next = inventText('', dice.of(`more/${more}`), words)
    parts.push(next)
    length += next.length + 1
  }
  const characters = [...parts.join(' ')]
  if (characters.length <= max) return characters.join('')
  const cut = characters.slice(0, max).join('')
  const atWord = cut.replace(/\s+\S*$/, '')
  return atWord !== '' && [...atWord].length >= min ? atWord : cut
}
