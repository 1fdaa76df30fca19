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

const WALL_BEHIND: Partial<Record<string, string>> = { white: 'blue', black: 'warm' }

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

const LANDSCAPE = { abstract: -2 }
const TASTE: Record<Family, Partial<Record<string, number>>> = {
  hills: LANDSCAPE,
  sea: LANDSCAPE,
  forest: LANDSCAPE,
  // Green towers look like a mistake.
  city: { ...LANDSCAPE, green: -3, forest: -2, desert: -1, day: 1 },
  dunes: {},
  // Without a word of it, too, space is dark.
  space: { space: 3, night: 3 },
  abstract: { abstract: 2 },
  // Dark walls only for those who ask for the night.
  emblem: { night: -2 },
  wallpaper: { night: -2 },
  gallery: {},
  room: { night: -2, abstract: -2, warm: 1, soft: 1 },
  underwater: { ocean: 4, teal: 3, blue: 2, night: -1 },
}
