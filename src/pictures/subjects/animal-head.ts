import { between, darker, type Colour } from '../places/colour.ts'
import { circle, ellipse, mirrored, outline, path, stroke } from '../places/shapes.ts'
import { CREAM, DARK } from './subject.ts'

/** What tells one animal from another. Colours say both that a feature is there and how it looks. */
export interface AnimalFeatures {
  colour: Colour
  ears: 'pointed' | 'round' | 'long' | 'floppy' | 'sideways' | 'upright' | 'tufted' | 'huge'
  /** Of a fox, of a bear, of a horse. */
  face: 'wedge' | 'round' | 'long'
  earColour?: Colour
  bodyColour?: Colour
  cheeks?: Colour
  muzzle?: Colour
  mane?: Colour
  antlers?: Colour
  eyePatch?: Colour
  tailTip?: Colour
  beak?: true
  forelock?: true
  stripes?: true
  tongue?: true
  trunk?: true
  whiskers?: true
  /** Visible on the seated body, unless false. */
  tail?: false
}

/** A head seen from the front, in the box of a subject, from the mane behind it to the nose. */
export function drawHead(features: AnimalFeatures, colour: Colour): string {
  const shaded = darker(colour, 0.28)
  return [
    features.mane ? drawMane(features.mane) : '',
    features.antlers ? mirrored(drawAntler(features.antlers)) : '',
    mirrored(drawEarBehind(features, colour, shaded)),
    features.forelock ? path('M-24,-60Q0,-118 24,-60L14,10Q0,24 -14,10Z', shaded) : '',
    drawSkull(features.face, colour),
    features.forelock ? path('M-20,-58Q0,-86 20,-58L6,4Q0,12 -6,4Z', shaded) : '',
    features.ears === 'floppy' ? mirrored(path('M-44,-58Q-112,-62 -98,34Q-72,46 -56,-6Z', shaded)) : '',
    features.stripes ? drawStripes() : '',
    features.cheeks ? mirrored(path('M-84,-16Q-34,-14 -6,84L0,90Q-64,36 -84,-16Z', features.cheeks)) : '',
    features.eyePatch ? mirrored(ellipse(-34, -4, 20, 25, features.eyePatch, { turn: 25 })) : '',
    features.beak ? drawOwlFace() : drawFace(features, colour, shaded),
  ].join('')
}

function drawMane(colour: Colour): string {
  const spikes = 16
  const points = Array.from({ length: spikes * 2 }, (_, i) => {
    const angle = (i * Math.PI) / spikes
    const radius = i % 2 ? 92 : 118
    // Whole numbers, because the last bits of cosines differ between engines.
    return outline`${radius * Math.cos(angle)},${6 + radius * Math.sin(angle)}`
  })
  return path(`M${points.join('L')}Z`, colour) + circle(0, 6, 90, darker(colour, 0.2))
}

function drawAntler(colour: Colour): string {
  return stroke(
    'M-20,-48C-30,-104 -104,-92 -92,-176M-48,-88L-112,-106M-80,-112L-48,-158M-92,-140L-124,-164',
    colour,
    13,
  )
}

function drawEarBehind(features: AnimalFeatures, furColour: Colour, shaded: Colour): string {
  const colour = features.earColour ?? furColour
  switch (features.ears) {
    case 'pointed':
      return path('M-84,-100L-10,-52L-74,2Z', colour) + path('M-74,-78L-34,-48L-66,-18Z', shaded)
    case 'round':
      return circle(-60, -54, 32, colour) + circle(-60, -54, 17, shaded)
    case 'long':
      return (
        ellipse(-30, -92, 20, 66, colour, { turn: -8 }) +
        ellipse(-30, -92, 10, 48, between(furColour, '#f3a6a6', 0.55), { turn: -8 })
      )
    case 'sideways':
      return path('M-40,-44Q-100,-74 -112,-32Q-76,-8 -42,-22Z', colour)
    case 'upright':
      return path('M-48,-40L-44,-106L-12,-56Z', colour)
    case 'tufted':
      return path('M-72,-96L-8,-56L-70,-14Z', colour)
    case 'huge':
      return ellipse(-88, -4, 62, 74, colour) + ellipse(-88, 0, 42, 54, shaded)
    case 'floppy':
      return '' // they hang in front of the head
  }
}

function drawSkull(face: AnimalFeatures['face'], colour: Colour): string {
  switch (face) {
    case 'wedge':
      return path('M-84,-16Q-62,-62 0,-58Q62,-62 84,-16Q64,36 0,90Q-64,36 -84,-16Z', colour)
    case 'round':
      return ellipse(0, 8, 82, 74, colour)
    case 'long':
      return path('M-54,-36Q0,-84 54,-36Q48,40 36,84Q0,112 -36,84Q-48,40 -54,-36Z', colour)
  }
}

function drawStripes(): string {
  const sides = mirrored(stroke('M-80,-4L-54,2M-78,22L-52,22M-34,-52L-28,-30', DARK, 9))
  return sides + stroke('M0,-64L0,-34', DARK, 10)
}

function drawOwlFace(): string {
  const eye =
    circle(-34, -4, 40, CREAM) +
    circle(-34, -4, 23, '#f0b13c') +
    circle(-34, -4, 14, DARK) +
    circle(-30, -9, 5, '#ffffff')
  return mirrored(eye) + path('M-12,18L12,18L0,46Z', '#e9973a')
}

function drawFace(features: AnimalFeatures, colour: Colour, shaded: Colour): string {
  const parts = [drawMuzzle(features), mirrored(drawEye(features))]
  if (features.trunk) return parts.join('') + drawTrunk(shaded)
  if (features.whiskers) {
    parts.push(mirrored(stroke('M-44,40L-92,30M-44,48L-90,54', darker(colour, 0.55), 3.5)))
  }
  if (features.tongue) parts.push(path('M-11,58L11,58Q12,84 0,84Q-12,84 -11,58Z', '#e8747c'))
  return parts.join('') + drawNose(features.face)
}

function drawMuzzle({ face, muzzle }: AnimalFeatures): string {
  if (!muzzle) return ''
  return face === 'long' ? ellipse(0, 72, 34, 26, muzzle) : ellipse(0, 42, 36, 28, muzzle)
}

function drawEye({ face, eyePatch }: AnimalFeatures): string {
  const x = face === 'round' ? -34 : -36
  const y = face === 'long' ? -8 : -4
  const [ball, glint]: [Colour, Colour] = eyePatch ? ['#ffffff', DARK] : [DARK, '#ffffff']
  return circle(x, y, 9.5, ball) + circle(x + 3, y - 4, 3, glint)
}

function drawTrunk(colour: Colour): string {
  const tusks = mirrored(path('M-42,46Q-50,84 -34,92Q-36,66 -26,50Z', CREAM))
  return path('M-24,18Q-26,90 -2,112Q30,124 34,98Q10,104 14,70L24,18Z', colour) + tusks
}

function drawNose(face: AnimalFeatures['face']): string {
  switch (face) {
    case 'wedge':
      return ellipse(0, 82, 13, 10, DARK)
    case 'long':
      return ellipse(0, 66, 15, 9, DARK)
    case 'round':
      return (
        path('M-13,26Q0,20 13,26Q8,42 0,42Q-8,42 -13,26Z', DARK) +
        stroke('M0,42L0,50M-14,55Q-6,60 0,50Q6,60 14,55', DARK, 3.5)
      )
  }
}
