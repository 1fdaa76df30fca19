import { subjectNamed } from './cast.ts'
import type { Scene } from '../words/description.ts'
import { mix } from '../places/numbers.ts'
import type { Palette } from '../data/palette-table.ts'

/**
 * The subject of a scene in its box of -100..100, or nothing.
 * @param pose `alone` is the head of an animal, `whole` its seated body.
 */
export function drawSubject(scene: Scene, palette: Palette, pose: 'alone' | 'whole'): string {
  if (!scene.subject) return ''
  const subject = subjectNamed(scene.subject)
  const pen = {
    colour: scene.subjectColour ?? subject.colour,
    palette,
    variant: mix(scene.seed, 91) & 7,
  }
  return pose === 'whole' && subject.drawWhole ? subject.drawWhole(pen) : subject.draw(pen)
}
