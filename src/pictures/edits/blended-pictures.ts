import type { BlendedBase, Photo } from '../composition/drawing.ts'
import { mix, wrapIndex } from '../places/numbers.ts'
import { ovalIn, uponLand, wholePhoto, type Frame } from './photo-scene.ts'
import { placeWithin, WHOLE_FRAME, type Patch, type Picture, type Side } from '../composition/picture.ts'

/** Combines two to five photos in four arrangements. Each photo is in every arrangement. */
export function blendedPictures({ images, seed, width, height }: BlendedBase): readonly Picture[] {
  const used = images.slice(0, 5)
  const frame = { width, height }
  const first = mix(seed, 501)
  return [0, 1, 2, 3].map((index) => {
    const arrangement = ARRANGEMENTS[wrapIndex(first + index, ARRANGEMENTS.length)] ?? strips
    const turned = used.map(
      (_, i) => used[wrapIndex(i + (mix(seed, index, 503) % used.length), used.length)]!,
    )
    return uponLand(used, frame, arrangement(turned, frame))
  })
}

type Arrangement = (photos: readonly Photo[], frame: Frame) => Patch[]

const ARRANGEMENTS: readonly Arrangement[] = [strips, discs, slantedStrips, bands]

/** The photos side by side. */
function strips(photos: readonly Photo[]): Patch[] {
  return photos.map((photo, i) => {
    const [from, to] = stripOf(photos, i)
    return inRectangle(photo, [from, 0, to, 1], i === 0 ? [] : ['left'])
  })
}

/** The photos one above the other. */
function bands(photos: readonly Photo[]): Patch[] {
  return photos.map((photo, i) => {
    const [from, to] = stripOf(photos, i)
    return inRectangle(photo, [0, from, 1, to], i === 0 ? [] : ['top'])
  })
}

function stripOf({ length }: readonly Photo[], i: number): [from: number, to: number] {
  return [i / length - OVERLAP * Math.sign(i), (i + 1) / length + (i === length - 1 ? 0 : OVERLAP)]
}

/** How far adjacent strips overlap. */
const OVERLAP = 0.03

function inRectangle(
  photo: Photo,
  edges: readonly [number, number, number, number],
  sides: readonly Side[],
): Patch {
  const short = Math.min(edges[2] - edges[0], edges[3] - edges[1])
  return {
    of: { kind: 'photo', photo },
    place: placeWithin(WHOLE_FRAME, edges),
    edge: { shape: 'rectangle', feather: (2 * OVERLAP) / short, sides },
  }
}

const LEAN = 0.24

/** The photos side by side, with slanted edges. */
function slantedStrips(photos: readonly Photo[]): Patch[] {
  const step = (1 + LEAN) / photos.length
  return photos.map((photo, i) => {
    const left = i * step - LEAN - (i === 0 ? LEAN : 0)
    const right = (i + 1) * step + OVERLAP + (i === photos.length - 1 ? LEAN : 0)
    const width = right - left
    return {
      of: { kind: 'photo', photo },
      place: placeWithin(WHOLE_FRAME, [left, 0, right, 1]),
      edge: {
        shape: 'slanted',
        lean: LEAN / width,
        feather: OVERLAP / Math.min(1, width),
        sides: i === 0 ? [] : ['left'],
      },
    }
  })
}

/** The first photo, with the others in soft discs. */
function discs([first, ...others]: readonly Photo[], frame: Frame): Patch[] {
  const patches = others.map((photo, i): Patch => {
    const [x, y, height] = DISCS[others.length]?.[i] ?? [0.5, 0.5, 0.4]
    return {
      of: { kind: 'photo', photo },
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height, shape: 1 })),
      edge: { shape: 'oval', feather: 0.12 },
    }
  })
  return first ? [wholePhoto(first), ...patches] : patches
}

/** Where discs lie on the first photo, in parts of the frame: middle and height. */
const DISCS: Record<number, readonly (readonly [x: number, y: number, height: number])[]> = {
  1: [[0.66, 0.6, 0.6]],
  2: [
    [0.29, 0.33, 0.48],
    [0.7, 0.68, 0.5],
  ],
  3: [
    [0.27, 0.28, 0.44],
    [0.73, 0.36, 0.44],
    [0.45, 0.75, 0.44],
  ],
  4: [
    [0.26, 0.26, 0.4],
    [0.74, 0.26, 0.4],
    [0.26, 0.74, 0.4],
    [0.74, 0.74, 0.4],
  ],
}
