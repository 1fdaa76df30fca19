import type { Colour } from '../places/colour.ts'
import type { Palette } from '../data/palette-table.ts'
import type { Family } from '../composition/kinds.ts'

/** What a subject is drawn with. */
export interface SubjectPen {
  /** The colour of the prompt, such as "red fox", or else the natural one. */
  colour: Colour
  palette: Palette
  /** Three hashed bits, for subjects of several kinds. */
  variant: number
}

/**
 * One thing a picture can be about. It is drawn in a box of -100..100 in both directions (ears and masts may
 * stick out) and stands on y = 100.
 */
export interface Subject {
  /** Its natural colour. */
  colour: Colour
  /** The picture it belongs in when the prompt names no place; `emblem` when left out. */
  home?: Family
  /** What carries it in a landscape; the ground when left out. */
  element?: 'sky' | 'water'
  /** Stands on a table when it is shown alone. */
  onTable?: boolean
  /** The picture of it alone: of an animal, the head. */
  draw(pen: SubjectPen): string
  /** The picture of it in a landscape, where that is another one. */
  drawWhole?(pen: SubjectPen): string
}

/** Outlines and pupils. */
export const DARK: Colour = '#231a22'
/** Fur, sails, paper. */
export const CREAM: Colour = '#fff4e6'
