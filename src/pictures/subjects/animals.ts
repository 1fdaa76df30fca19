import { drawHead, type AnimalFeatures } from './animal-head.ts'
import { drawSeated } from './animal-body.ts'
import { CREAM, DARK, type Subject } from './subject.ts'

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
