import { type AnimalFeatures, drawHead } from './animal-head.ts'
import { CREAM, DARK, type Subject } from './subject.ts'
import { type Colour, darker, lighter } from '../places/colour.ts'
import { ellipse, mirrored, path, placed, stroke } from '../places/shapes.ts'

/** Animals differ only in features: they share one head and one seated body. */
export const ANIMALS = {
  fox: animal({ colour: '#e8703a', ears: 'pointed', face: 'wedge', cheeks: CREAM, tailTip: CREAM }),
  wolf: animal({ colour: '#77828f', ears: 'pointed', face: 'wedge', cheeks: '#e9edf0', tailTip: '#4a535e' }),
  cat: animal({ colour: '#e0a458', ears: 'pointed', face: 'round', muzzle: CREAM, whiskers: true }),
  dog: animal({ colour: '#c98f5a', ears: 'floppy', face: 'round', muzzle: CREAM, tongue: true }),
  bear: animal({ colour: '#8a5a3c', ears: 'round', face: 'round', muzzle: '#d9b48c', tail: false }),
  panda: animal({
    colour: '#f6f1e8',
    ears: 'round',
    face: 'round',
    earColour: DARK,
    eyePatch: DARK,
    muzzle: '#ffffff',
    bodyColour: '#33303a',
    tail: false,
  }),
  rabbit: animal({ colour: '#d9c7b8', ears: 'long', face: 'round', muzzle: '#ffffff', tail: false }),
  mouse: animal({ colour: '#a9a3a8', ears: 'round', face: 'wedge', cheeks: '#d9d3d5' }),
  lion: animal({
    colour: '#e6b04f',
    ears: 'round',
    face: 'round',
    muzzle: CREAM,
    mane: '#a8562a',
    tailTip: '#a8562a',
  }),
  tiger: animal({
    colour: '#ee8f35',
    ears: 'round',
    face: 'round',
    muzzle: CREAM,
    stripes: true,
    tailTip: DARK,
  }),
  deer: animal({
    colour: '#b9784a',
    ears: 'sideways',
    face: 'long',
    antlers: '#6d4630',
    muzzle: '#f0dcc4',
    tail: false,
  }),
  horse: animal({
    colour: '#8a5236',
    ears: 'upright',
    face: 'long',
    forelock: true,
    muzzle: '#d9b79a',
    tail: false,
  }),
  owl: animal({ colour: '#8f6a4d', ears: 'tufted', face: 'round', beak: true, tail: false }),
  elephant: animal({ colour: '#93a0ae', ears: 'huge', face: 'round', trunk: true, tail: false }),
}

function animal(features: AnimalFeatures): Subject {
  return {
    colour: features.colour,
    draw: ({ colour }) => drawHead(features, colour),
    drawWhole: ({ colour }) => drawSeated(features, colour),
  }
}

/**
 * An animal that sits and looks at us, in the box of a subject: tail, body, chest, paws and the head.
 * @param colour of its fur.
 */
function drawSeated(features: AnimalFeatures, colour: Colour): string {
  const body = features.bodyColour ?? colour
  const legs = darker(body, 0.18)
  const chest = features.cheeks ?? features.muzzle ?? lighter(colour, 0.3)
  return [
    features.tail === false ? '' : drawTail(features, body),
    path('M-26,-30Q-66,30 -56,100L56,100Q66,30 26,-30Z', body),
    path('M-16,-14Q-30,26 0,62Q30,26 16,-14Z', chest),
    mirrored(path('M-58,100Q-64,58 -34,56L-28,100Z', legs) + ellipse(-16, 97, 15, 8, legs)),
    placed(drawHead(features, colour), { x: 0, y: -44, scale: 0.62 }),
  ].join('')
}

function drawTail({ cheeks, tailTip }: AnimalFeatures, colour: Colour): string {
  const bushy = cheeks !== undefined
  const tail = stroke('M30,88Q104,96 96,36Q94,14 78,8', colour, bushy ? 34 : 17)
  return tailTip ? tail + stroke('M95,30Q92,14 78,8', tailTip, bushy ? 30 : 17) : tail
}
