import type { Colour } from '../places/colour.ts'
import type { Palette } from '../data/palette-table.ts'

/** The kind of a picture. Each kind has a file in families/. */
export type Family = Place | 'wallpaper'
/** The kinds that the words of a prompt can choose. */
export type Place =
  | 'hills'
  | 'dunes'
  | 'sea'
  | 'city'
  | 'forest'
  | 'space'
  | 'abstract'
  | 'emblem'
  | 'room'
  | 'underwater'
export type Weather = 'rain' | 'storm' | 'snow' | 'fog' | 'wind'
export type TimeOfDay = 'night' | 'dusk' | 'dawn'

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

/** Each gene: 0..1, in thousandths. */
export type Genes = Record<GeneName, number>

/**
 * Everything that determines a picture, as plain JSON. Siblings, variations, zooms, pans and blends edit it (edits.ts), and
 * draw.ts draws it. It is drawn in world units: the short side of the frame has 1000.
 */
export interface Scene {
  version: 1
  /** The first 2000 characters, for readers of the JSON. Nothing is drawn from them. */
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
  /** The movement of the camera in a clip. By default, it travels slowly to the right. */
  move?: CameraMove
  weather?: Weather
  time?: TimeOfDay
  /** The names of the four palettes that suit the prompt best, best first. */
  palettes: string[]
  /** The index of the palette in use. */
  paletteIndex: number
  /** A palette from the colours of a photo, in place of a named one. */
  ownPalette?: Palette
  /** A colour word that belongs to no subject: "teal lake". */
  tint?: Colour
  /** Whether to draw only the land, without sun and birds, because the picture that it surrounds has them. */
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
/** The colour grading of a model. */
export type Grade = 'warm' | 'cool' | 'vivid' | 'faded'
export type CameraMove = 'in' | 'out' | 'left' | 'right' | 'up' | 'down'

/** The position of a subject: on, in or worn by another one, or in the air. */
export type MentionPosition = 'on' | 'in' | 'worn' | 'above'

/** A subject of a picture: an icon, or a text in letters. Icons are stored by name, so that new data suits old scenes. */
export interface CastMember {
  icon?: string
  letters?: string
  /** Whether the letters glow. */
  isNeon?: true
  count: number
  /** The colour that the prompt gives it: "red fox". */
  colour?: Colour
  hair?: Colour
  /** One of five skin tones, 0..4. */
  tone: number
  scale: number
  /** An unsigned 32-bit number. */
  seed: number
  at?: MentionPosition
  /** The icon of the member that it is on, in or worn by. */
  on?: string
  isMoving?: true
}

/** Elements that many pictures contain by default, in the words with which a prompt excludes them. */
export const HIDEABLE = ['birds', 'clouds', 'stars', 'sun', 'trees'] as const
export type Hideable = (typeof HIDEABLE)[number]

/** The visible part of the infinite world. */
export interface Camera {
  /** The distance to the right, in widths of the frame. */
  x: number
  /** The distance down, in heights of the frame. */
  y: number
  /** The number of frames that it sees across and down: 2 and 2 is zoomed out to twice the width and height. */
  width: number
  height: number
}

/** An area that a camera saw. Its surroundings are drawn from this seed, so that each zoom can have others. */
export interface SeenArea extends Camera {
  /** An unsigned 32-bit number. */
  seed: number
}
