import { between, darker, luminance, saturated, type Colour } from './colour.ts'
import { PALETTE_ROLES, PALETTE_TABLE, type Palette } from '../data/palette-table.ts'
import type { Grade, Scene } from '../words/description.ts'
import type { Family } from '../composition/kinds.ts'

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
