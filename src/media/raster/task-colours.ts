import type { Palette } from '../../pictures/data/palette-table.ts'
import { paletteOf } from '../../pictures/places/palettes.ts'
import { sceneOf } from '../../pictures/places/scene.ts'
import type { ClipSpec } from '../spec.ts'
import { ownPicture } from '../moving-scene.ts'
import { sha256OfText } from '../cache/digest.ts'
import { sceneText } from '../received/stand-in.ts'

export type Rgb = [red: number, green: number, blue: number]

/** What sets the `fast` clip of a task apart from every other. */
export interface TaskColours {
  /** Bytes that are the same only for the same prompt, picture, model, seed and task. */
  identity: Uint8Array
  /** The palette of the scene of the prompt or picture, each colour moved a little for this task. */
  colours: Record<keyof Palette, Rgb>
}

/** Takes a palette by the prompt, and nudges it by the task: still that palette, yet unlike the next task's. */
export function taskColours(spec: ClipSpec): TaskColours {
  const { prompt, model, seed, taskId, width, height } = spec
  const own = ownPicture(spec.image)
  const text = own ? JSON.stringify(own) : sceneText(spec)
  const identity = sha256OfText(JSON.stringify([prompt, text, model, seed, taskId]))
  const palette = paletteOf(own?.world ?? sceneOf({ prompt: text, model, seed, width, height }))
  const names: (keyof Palette)[] = ['skyTop', 'skyLow', 'sun', 'far', 'near', 'accent', 'light', 'ink']
  const entries = names.map((name, index) => {
    const nudges = identity.subarray(3 * index, 3 * index + 3)
    return [name, nudged(palette[name], nudges)] as const
  })
  return { identity, colours: Object.fromEntries(entries) as Record<keyof Palette, Rgb> }
}

/** @param colour `#rrggbb`. */
function nudged(colour: string, nudges: Uint8Array): Rgb {
  const value = (part: number) => {
    const given = parseInt(colour.slice(1 + 2 * part, 3 + 2 * part), 16)
    return Math.max(0, Math.min(255, given + (nudges[part]! % 41) - 20))
  }
  return [value(0), value(1), value(2)]
}
