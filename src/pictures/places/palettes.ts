import { between, darker, luminance, saturated, type Colour } from './colour.ts'
import { PALETTE_ROLES, PALETTE_TABLE, type Palette, type NamedPalette } from '../data/palette-table.ts'
import type { Grade, Scene, Family } from '../words/description.ts'
import { unit } from './numbers.ts'
import type { Reading } from '../words/reading.ts'

/** The colours of a scene: its palette, tinted by a colour word, darkened at night, whitened by snow. */
export function paletteOf(scene: Scene): Palette {
  let palette: Palette = scene.ownPalette ?? paletteNamed(scene.palettes[scene.paletteIndex])
  if (scene.tint) palette = tinted(palette, scene.tint)
  if (scene.time === 'night' && luminance(palette.skyTop) > 0.35) palette = atNight(palette)
  if (scene.weather === 'snow' && UNDER_SNOW.has(scene.family)) palette = underSnow(palette)
  return scene.grade ? graded(palette, scene.grade) : palette
}

/** Families that get snow on the ground. Towers, tables and tiles keep their colour. */
const UNDER_SNOW: ReadonlySet<Family> = new Set(['hills', 'dunes', 'sea', 'forest'])

function tinted(palette: Palette, tint: Colour): Palette {
  return {
    ...palette,
    skyTop: between(palette.skyTop, tint, 0.3),
    skyLow: between(palette.skyLow, tint, 0.12),
    far: between(palette.far, tint, 0.45),
    near: between(palette.near, darker(tint, 0.5), 0.45),
    accent: between(palette.accent, tint, 0.7),
  }
}

function atNight(palette: Palette): Palette {
  return {
    ...palette,
    skyTop: darker(palette.skyTop, 0.78),
    skyLow: darker(palette.skyLow, 0.5),
    far: darker(palette.far, 0.5),
    near: darker(palette.near, 0.55),
  }
}

function underSnow(palette: Palette): Palette {
  return {
    ...palette,
    far: between(palette.far, '#e8f1f8', 0.55),
    near: between(palette.near, '#dfeaf4', 0.78),
  }
}

function graded(palette: Palette, grade: Grade): Palette {
  const pairs = PALETTE_ROLES.map((role) => [role, gradeColour(palette[role], grade)])
  return Object.fromEntries(pairs) as Palette
}

/** Grades a colour in the style of a model. */
export function gradeColour(colour: Colour, grade: Grade): Colour {
  switch (grade) {
    case 'warm':
      return between(colour, '#ff9a4d', 0.2)
    case 'cool':
      return between(colour, '#3d7fd0', 0.22)
    case 'faded':
      return between(colour, '#d8cbb4', 0.38)
    case 'vivid':
      return saturated(colour, 1.5)
  }
}

function paletteNamed(name: string | undefined): Palette {
  const palette = PALETTE_TABLE.find((candidate) => candidate.name === name)
  if (!palette)
    throw new Error(`Failed to draw a scene: ${name} is none of its palettes. See palette-table.ts.`)
  return palette
}

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

/** The tag of palettes that suits a wall behind a subject of a colour. */
const WALL_BEHIND: Partial<Record<string, string>> = { white: 'blue', black: 'warm' }

const LANDSCAPE = { abstract: -2 }
/** How much families of scenes like palettes with a tag. */
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
  // Dark walls only if the prompt names the night.
  emblem: { night: -2 },
  wallpaper: { night: -2 },
  room: { night: -2, abstract: -2, warm: 1, soft: 1 },
  underwater: { ocean: 4, teal: 3, blue: 2, night: -1 },
}
