import type { BlendedBase, EditedBase, Photo, PhotoBase, SwappedBase } from './drawing.ts'
import { mix, unit, wrap } from './numbers.ts'
import { photoScene } from './photo-scene.ts'
import {
  frameSize,
  pictureOf,
  placeWithin,
  WHOLE_FRAME,
  type Patch,
  type PhotoView,
  type Picture,
  type Side,
} from './picture.ts'
import { sceneOf } from './scene.ts'
import type { Scene } from './description.ts'

interface Frame {
  width: number
  height: number
}

/** A photo as it is. Around it, for those who zoom out, lies a land in its colours. */
export function photoPicture({ image, width, height }: PhotoBase): Picture {
  return uponLand([image], { width, height }, [wholePhoto(image)])
}

/** The middle of one photo, where a face would be, as a soft oval in the middle of another. */
export function swappedPicture({ source, target, width, height }: SwappedBase): Picture {
  const face: Patch = {
    of: { kind: 'photo', photo: source, part: 0.56 },
    place: placeWithin(
      WHOLE_FRAME,
      ovalIn({ width, height }, { x: 0.5, y: 0.44, height: 0.52, shape: 0.78 }),
    ),
    edge: { shape: 'oval', feather: 0.24 },
  }
  return uponLand([target], { width, height }, [wholePhoto(target), face])
}

/** Two to five photos in four arrangements; each is seen in all of them. */
export function blendedPictures({ images, seed, width, height }: BlendedBase): readonly Picture[] {
  const shown = images.slice(0, MOST_IMAGES)
  const first = mix(seed, 501)
  return [0, 1, 2, 3].map((index) => {
    const arrangement = ARRANGEMENTS[wrap(first + index, ARRANGEMENTS.length)] ?? strips
    const turned = shown.map((_, i) => shown[wrap(i + (mix(seed, index, 503) % shown.length), shown.length)]!)
    return uponLand(shown, { width, height }, arrangement(turned, { width, height }))
  })
}

/** The photo with what the prompt asks for drawn into it: a subject, weather, an hour of the day, or a place. */
export function editedPictures({ image, prompt, seed, width, height }: EditedBase): readonly Picture[] {
  return [0, 1, 2, 3].map((index) => {
    const scene = sceneOf({ prompt, seed: String(mix(seed, index)), width, height })
    const view = atTime(scene, index)
    const patches = [wholePhoto(image, view), ...drawnInto(scene, { width, height }, { seed, index })]
    return uponLand([image], { width, height }, patches)
  })
}

const MOST_IMAGES = 5

function uponLand(photos: readonly Photo[], size: Frame, patches: readonly Patch[]): Picture {
  const world = photoScene(photos, frameSize(size))
  return { ...pictureOf(world), patches }
}

function wholePhoto(photo: Photo, view: Partial<PhotoView> = {}): Patch {
  return {
    of: { ...view, kind: 'photo', photo },
    place: WHOLE_FRAME,
    edge: { shape: 'rectangle', feather: 0.06 },
  }
}

type Arrangement = (photos: readonly Photo[], frame: Frame) => Patch[]

const ARRANGEMENTS: readonly Arrangement[] = [strips, discs, slantedStrips, bands]

/** Side by side. */
function strips(photos: readonly Photo[]): Patch[] {
  return photos.map((photo, i) => {
    const last = i === photos.length - 1
    return inRectangle(
      photo,
      [i / photos.length - OVERLAP * Math.sign(i), 0, (i + 1) / photos.length + (last ? 0 : OVERLAP), 1],
      i === 0 ? [] : ['left'],
    )
  })
}

/** One above the other. */
function bands(photos: readonly Photo[]): Patch[] {
  return photos.map((photo, i) => {
    const last = i === photos.length - 1
    return inRectangle(
      photo,
      [0, i / photos.length - OVERLAP * Math.sign(i), 1, (i + 1) / photos.length + (last ? 0 : OVERLAP)],
      i === 0 ? [] : ['top'],
    )
  })
}

/** How far a strip reaches under its neighbour. */
const OVERLAP = 0.05

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

/** Side by side, with edges that lean. */
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

/** The first photo, with the others in soft discs. */
function discs([first, ...others]: readonly Photo[], frame: Frame): Patch[] {
  const places = DISCS[others.length] ?? []
  const patches = others.map((photo, i): Patch => {
    const [x, y, height] = places[i] ?? [0.5, 0.5, 0.4]
    return {
      of: { kind: 'photo', photo },
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height, shape: 1 })),
      edge: { shape: 'oval', feather: 0.12 },
    }
  })
  return first ? [wholePhoto(first), ...patches] : patches
}

/** The edges of an oval, in parts of the frame, whose height is given in parts of the short side. */
function ovalIn(
  frame: Frame,
  { x, y, height, shape }: { x: number; y: number; height: number; shape: number },
): [number, number, number, number] {
  const side = Math.min(frame.width, frame.height)
  const halfHeight = (height * side) / frame.height / 2
  const halfWidth = (height * shape * side) / frame.width / 2
  return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight]
}

/** How a photo looks at the hour that a prompt names; otherwise each of the four a little different. */
function atTime({ time, tint }: Scene, index: number): Partial<PhotoView> {
  const light = 1 + [0, 0.04, -0.04, 0.07][index]!
  const hue = tint ? [0, 8, -8, 14][index]! : 0
  switch (time) {
    case 'night':
      return { light: light * 0.45, saturation: 0.7, hue: hue - 4 }
    case 'dusk':
      return { light: light * 0.82, saturation: 1.25, hue: hue - 10 }
    case 'dawn':
      return { light: light * 1.05, saturation: 0.85, hue: hue + 6 }
    default:
      return { light, ...(hue !== 0 && { hue }) }
  }
}

const SPOTS = [
  [0.68, 0.62],
  [0.32, 0.62],
  [0.5, 0.6],
  [0.62, 0.48],
] as const

function drawnInto(scene: Scene, frame: Frame, { seed, index }: { seed: number; index: number }): Patch[] {
  const [x, y] = SPOTS[index % SPOTS.length] ?? SPOTS[0]
  const size = 0.5 + 0.12 * unit(mix(seed, index, 507))
  const patches: Patch[] = []
  if (scene.subject) {
    patches.push({
      of: { kind: 'overlay', scene, shows: 'subject' },
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height: size, shape: 1 })),
      edge: { shape: 'rectangle', feather: 0, sides: [] },
    })
  } else if (!scene.weather && !scene.time) {
    patches.push({
      of: pictureOf(scene, frame),
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height: size * 1.2, shape: 1.2 })),
      edge: { shape: 'oval', feather: 0.4 },
    })
  }
  if (scene.weather) {
    patches.push({
      of: { kind: 'overlay', scene, shows: 'weather' },
      place: WHOLE_FRAME,
      edge: { shape: 'rectangle', feather: 0, sides: [] },
    })
  }
  return patches
}
