import { TASTE, WALL_BEHIND } from '../data/palette-taste.ts'
import { unit } from './numbers.ts'
import { PALETTE_TABLE, type NamedPalette } from '../data/palette-table.ts'
import type { Reading } from '../words/reading.ts'
import type { Family } from '../composition/kinds.ts'

/**
 * The names of all palettes, the best match for the prompt first. The words of the prompt decide, and a small jitter from
 * the hash breaks ties.
 * @param hash of the scene.
 * @param chaos 0..100: the weight of the jitter, compared with the words.
 */
export function rankPalettes(reading: Reading, family: Family, hash: number, chaos = 0): string[] {
  const weights = tagWeightsOf(reading, family)
  return PALETTE_TABLE.map((palette, i) => ({
    name: palette.name,
    score:
      suitability(palette, weights) +
      seasonability(palette, weights, reading, family) +
      familyTaste(palette, family) +
      unit(hash, 500 + i) * (1.5 + chaos * 0.09),
  }))
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name)
}

type TagWeights = ReadonlyMap<string, number>

/** The weights of tags and colour words. A coloured subject adds a quiet background. */
function tagWeightsOf(reading: Reading, family: Family): TagWeights {
  const weights = new Map(reading.tags)
  function add(tag: string, weight: number) {
    weights.set(tag, (weights.get(tag) ?? 0) + weight)
  }
  for (const colour of reading.colours) add(colour, 2)
  const hero = reading.mentions[0]?.colour
  if (hero && family === 'emblem') add(WALL_BEHIND[hero] ?? 'soft', 1)
  return weights
}

function suitability(palette: NamedPalette, weights: TagWeights): number {
  return palette.tags.reduce((sum, tag) => sum + 3 * (weights.get(tag) ?? 0), 0)
}

/** Lowers the rank of night and mist palettes unless the prompt names them. */
function seasonability(palette: NamedPalette, weights: TagWeights, reading: Reading, family: Family): number {
  function hasTag(...tags: string[]) {
    return tags.some((tag) => weights.has(tag))
  }
  const nightFits =
    reading.time === 'night' || family === 'space' || hasTag('neon', 'luxury', 'magic', 'black')
  if (palette.tags.includes('night') && !nightFits) return -4
  if (palette.name === 'mist' && !hasTag('fog', 'grey', 'white', 'minimal')) return -3
  return 0
}

/** The preference of a family. Words of the prompt weigh more. */
function familyTaste(palette: NamedPalette, family: Family): number {
  const taste = TASTE[family]
  return palette.tags.reduce((sum, tag) => sum + (taste[tag] ?? 0), 0)
}
