import { TASTE, WALL_BEHIND } from '../data/palette-taste.ts'
import { unit } from './numbers.ts'
import { PALETTE_TABLE, type NamedPalette } from '../data/palette-table.ts'
import type { Reading } from '../words/reading.ts'
import type { Family } from '../composition/kinds.ts'

/**
 * The names of all palettes, the one that suits a prompt best first. The words of the prompt decide, a small
 * jitter by hash where they leave it open.
 * @param hash of the scene.
 * @param chaos 0..100: how little the words decide.
 */
export function rankedPalettes(reading: Reading, family: Family, hash: number, chaos = 0): string[] {
  const wishes = wishesOf(reading, family)
  return PALETTE_TABLE.map((palette, i) => ({
    name: palette.name,
    score:
      suitability(palette, wishes) +
      seasonability(palette, wishes, reading, family) +
      familyTaste(palette, family) +
      unit(hash, 500 + i) * (1.5 + chaos * 0.09),
  }))
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name)
}

type Wishes = ReadonlyMap<string, number>

/** What the words ask for, with the colour words; a subject with a colour of its own wants a quiet wall behind it. */
function wishesOf(reading: Reading, family: Family): Wishes {
  const wishes = new Map(reading.tags)
  function add(tag: string, weight: number) {
    wishes.set(tag, (wishes.get(tag) ?? 0) + weight)
  }
  for (const colour of reading.colours) add(colour, 2)
  const hero = reading.mentions[0]?.colour
  if (hero && family === 'emblem') add(WALL_BEHIND[hero] ?? 'soft', 1)
  return wishes
}

function suitability(palette: NamedPalette, wishes: Wishes): number {
  return palette.tags.reduce((sum, tag) => sum + 3 * (wishes.get(tag) ?? 0), 0)
}

/** Night and mist are for those who ask for them. */
function seasonability(palette: NamedPalette, wishes: Wishes, reading: Reading, family: Family): number {
  function wished(...tags: string[]) {
    return tags.some((tag) => wishes.has(tag))
  }
  const nightFits =
    reading.time === 'night' || family === 'space' || wished('neon', 'luxury', 'magic', 'black')
  if (palette.tags.includes('night') && !nightFits) return -4
  if (palette.name === 'mist' && !wished('fog', 'grey', 'white', 'minimal')) return -3
  return 0
}

/** What a family likes or dislikes by itself. A word in the prompt weighs more. */
function familyTaste(palette: NamedPalette, family: Family): number {
  const taste = TASTE[family]
  return palette.tags.reduce((sum, tag) => sum + (taste[tag] ?? 0), 0)
}
