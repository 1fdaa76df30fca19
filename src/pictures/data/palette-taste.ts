import type { Family } from '../composition/kinds.ts'

/** The tag of palettes that suits a wall behind a subject of a colour. */
export const WALL_BEHIND: Partial<Record<string, string>> = { white: 'blue', black: 'warm' }

const LANDSCAPE = { abstract: -2 }
/** How much families of scenes like palettes with a tag. */
export const TASTE: Record<Family, Partial<Record<string, number>>> = {
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
  room: { night: -2, abstract: -2, warm: 1, soft: 1 },
  underwater: { ocean: 4, teal: 3, blue: 2, night: -1 },
}
