import type { Colour } from '../places/colour.ts'

/**
 * A picture of the drawing channel as plain JSON: what it began with, and everything that was done to it since. It is
 * all that is kept of a picture; the same drawing is the same bytes on every machine.
 */
export interface Drawing {
  readonly base: DrawingBase
  /** In the order in which they were asked for. */
  readonly edits: readonly DrawingEdit[]
}

/** What a picture began with. */
export type DrawingBase = ImaginedBase | BlendedBase | EditedBase | SwappedBase | PhotoBase

interface Framed {
  /** The frame in pixels, before anything was done to it. */
  readonly width: number
  readonly height: number
}

/** A prompt, drawn as a grid of four. */
export interface ImaginedBase extends Framed {
  readonly kind: 'imagine'
  /** The prompt without flags and addresses. */
  readonly prompt: string
  /** What draws it, such as `7` or `niji 6`. */
  readonly model: string
  /** An unsigned 32-bit number. */
  readonly seed: number
  /** How unlike each other the four are: 0 as usual, 100 as far as it goes. */
  readonly chaos?: number
  /** What must not be seen. */
  readonly without?: readonly string[]
  /** Whether the picture can be laid side by side with itself. */
  readonly tile?: boolean
  /** Pictures named in front of the prompt, and how much they weigh: 0 to 3. */
  readonly images?: readonly Photo[]
  readonly imageWeight?: number
}

/** Two to five pictures made into one, as a grid of four. */
export interface BlendedBase extends Framed {
  readonly kind: 'blend'
  readonly images: readonly Photo[]
  readonly seed: number
}

/** A picture changed as a prompt says, as a grid of four. */
export interface EditedBase extends Framed {
  readonly kind: 'edit'
  readonly image: Photo
  readonly prompt: string
  readonly seed: number
}

/** The middle of one picture put into another; a single picture. */
export interface SwappedBase extends Framed {
  readonly kind: 'swap'
  readonly source: Photo
  readonly target: Photo
}

/** A picture as it was sent. */
export interface PhotoBase extends Framed {
  readonly kind: 'photo'
  readonly image: Photo
}

/** A picture that somebody sent, or only named. */
export interface Photo {
  /** Under which its bytes are kept, if they ever came; otherwise it is drawn from its address. */
  readonly digest?: string
  readonly url?: string
  /** What it shows, where it is a picture of our own. */
  readonly drawing?: Drawing
  readonly width: number
  readonly height: number
  /** Its dominant colours, the most frequent first. */
  readonly colours: readonly Colour[]
}

/** The pictures that a drawing began with, beside its prompt. */
export function photosOf(base: DrawingBase): readonly Photo[] {
  switch (base.kind) {
    case 'imagine':
    case 'blend':
      return base.images ?? []
    case 'swap':
      return [base.source, base.target]
    default:
      return [base.image]
  }
}

export type PanDirection = 'left' | 'right' | 'up' | 'down'

/**
 * One thing done to a picture. Those with a `tile` are done to one of the four of a grid, from 1; the others to a
 * single picture. All but the upscales give a grid again. Each `seed` is an unsigned 32-bit number: the same edit
 * with another seed gives other pictures.
 */
export type DrawingEdit =
  /** The tile by itself, larger. */
  | { readonly do: 'upscale'; readonly tile: number }
  /** The picture at twice its width and height; `creative` changes details. */
  | { readonly do: 'enlarge'; readonly creative: boolean; readonly seed: number }
  | {
      readonly do: 'vary'
      /** Missing for a single picture. */
      readonly tile?: number
      readonly strong: boolean
      readonly seed: number
      /** Another prompt, when it was changed on the way. */
      readonly prompt?: string
    }
  | {
      readonly do: 'zoom'
      /** How many times more is seen in each direction: from 1 to 2. */
      readonly factor: number
      /** Another shape of the frame, width by height; it contains the picture. */
      readonly ratio?: number
      readonly seed: number
      readonly prompt?: string
    }
  | { readonly do: 'pan'; readonly towards: PanDirection; readonly seed: number; readonly prompt?: string }
  | {
      readonly do: 'inpaint'
      readonly prompt: string
      /** Under which the mask is kept; without one the middle is repainted. */
      readonly mask?: string
      readonly seed: number
    }
