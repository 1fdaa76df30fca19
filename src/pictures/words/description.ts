import type { Colour } from '../places/colour.ts'
import type { Palette } from '../data/palette-table.ts'
import type { Family, TimeOfDay, Weather } from '../composition/kinds.ts'

/** Named draws. The position of a name keys its hash: append new names, so that existing pictures don't change. */
export const GENE_NAMES = [
  'horizon',
  'sunX',
  'sunY',
  'subjectX',
  'size',
  'mode',
  'terrain',
  'detail',
  'flip',
] as const
export type GeneName = (typeof GENE_NAMES)[number]

/** Each 0..1, in thousandths. */
export type Genes = Record<GeneName, number>

/**
 * Everything that determines a picture, as plain JSON. Siblings, variations, zooms, pans and blends are edits of it
 * (edits.ts); drawing it (draw.ts) is the last step. It is drawn in world units: the short side of the frame is
 * 1000 of them.
 */
export interface Scene {
  version: 1
  /** The first 2000 characters, for people who read the JSON; nothing is drawn from it. */
  prompt: string
  /** An unsigned 32-bit hash of prompt, model and seed. */
  seed: number
  family: Family
  /** The subjects, at most three, in the order of the prompt. */
  cast?: readonly CastMember[]
  /** Whether the subjects are omitted here because they are drawn separately. */
  isElsewhere?: true
  /** Whether the sea has a shore in front. */
  isBeach?: true
  /** Whether the room is a stage with a curtain. */
  isStage?: true
  /** The style that the prompt names, if any. */
  style?: Style
  grade?: Grade
  /** How the camera of a clip moves, instead of travelling slowly to the right. */
  move?: CameraMove
  weather?: Weather
  time?: TimeOfDay
  /** The names of the four palettes that suit the prompt best, best first. */
  palettes: string[]
  /** Which of them is used. */
  paletteIndex: number
  /** A palette made of the colours of a photo, instead of a named one. */
  ownPalette?: Palette
  /** A colour word that belongs to no subject: "teal lake". */
  tint?: Colour
  /** Only the land, without sun and birds: the picture that it surrounds has them already. */
  bare?: true
  /** Elements that are not drawn. */
  hidden?: readonly Hideable[]
  genes: Genes
  /** The frame in pixels. */
  width: number
  height: number
  camera: Camera
  /** The areas visible before the camera moved, oldest first. */
  seen?: readonly SeenArea[]
}

export type Style = 'line' | 'pixel' | 'watercolour' | 'oil' | '3d' | 'anime' | 'photo'
/** What a model does to all colours. */
export type Grade = 'warm' | 'cool' | 'vivid' | 'faded'
export type CameraMove = 'in' | 'out' | 'left' | 'right' | 'up' | 'down'

/** Where a subject is: on, in or worn by another one, or in the air. */
export type Position = 'on' | 'in' | 'worn' | 'above'

/** A subject of a picture: an icon or a text in letters. By name, so that new data fit old scenes. */
export interface CastMember {
  icon?: string
  letters?: string
  /** Whether the letters glow. */
  isNeon?: true
  count: number
  /** The colour that the prompt gives it: "red fox". */
  colour?: Colour
  hair?: Colour
  /** Which of five skin tones, 0..4. */
  tone: number
  scale: number
  /** An unsigned 32-bit number. */
  seed: number
  at?: Position
  /** The icon of the member that it is on, in or worn by. */
  on?: string
  isMoving?: true
}

/** Elements that pictures often contain by default, by the words with which a prompt excludes them. */
export const HIDEABLE = ['birds', 'clouds', 'stars', 'sun', 'trees'] as const
export type Hideable = (typeof HIDEABLE)[number]

/** The visible part of the endless world. */
export interface Camera {
  /** How far it moved right, in widths of the frame. */
  x: number
  /** How far it moved down, in heights of the frame. */
  y: number
  /** How many frames wide it sees, and how many high: 2 and 2 is zoomed out to twice the width and height. */
  width: number
  height: number
}

/** An area that a camera saw. Its surroundings are drawn from this seed, so one picture can have many of them. */
export interface SeenArea extends Camera {
  /** An unsigned 32-bit number. */
  seed: number
}
