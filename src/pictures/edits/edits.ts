import { lerp, mix, thousandth, wrapIndex, unit } from '../places/numbers.ts'
import { GENE_NAMES, type Camera, type GeneName, type Genes, type Scene } from '../words/description.ts'
import { genesOf, rereadScene } from '../places/scene.ts'
import { pictureOf, type Edge, type Patch, type Picture } from '../composition/picture.ts'

/**
 * The four siblings of a grid. The first is the scene itself. The second has the same palette, the others have the next
 * two. Family, subject and weather stay the same.
 * @param chaos 0..100: medium values give each its own palette; high values also vary the hour of the day and the distance.
 */
export function grid(scene: Scene, chaos = 0): [Scene, Scene, Scene, Scene] {
  function sibling(number: number, palette: number): Scene {
    const chaotic = chaos < 15 ? palette : number
    return {
      ...scene,
      ...(chaos >= 50 && !scene.time && number > 1 && { time: number === 2 ? 'night' : 'dusk' }),
      paletteIndex: wrapIndex(scene.paletteIndex + chaotic, scene.palettes.length),
      genes: redrawn(scene, { salt: number, names: GENE_NAMES, amount: 1 }),
      camera: nearer(scene, (chaos / 100) * (NEARNESS[number] ?? 0)),
    }
  }
  return [scene, sibling(1, 0), sibling(2, 1), sibling(3, 2)]
}

/**
 * A variation of a scene. A subtle one slightly changes light and place, a strong one also size, terrain and palette.
 * @param options.index the number of this variation.
 * @param options.seed another seed gives other variations.
 */
export function vary(
  scene: Scene,
  { index, strong = false, seed }: { index: number; strong?: boolean; seed?: number },
): Scene {
  const salt = seed === undefined ? 1000 + index : mix(seed, index, 1000)
  if (!strong) return { ...scene, genes: redrawn(scene, { salt, names: SUBTLE_GENES, amount: 0.55 }) }
  return {
    ...scene,
    paletteIndex: wrapIndex(scene.paletteIndex + 1 + (index % 3), scene.palettes.length),
    genes: redrawn(scene, { salt, names: STRONG_GENES, amount: 0.85 }),
  }
}

/** How much nearer the siblings are at maximum chaos. Negative values are farther away. */
const NEARNESS = [0, 0.22, -0.5, -0.2]

/** Moves the camera towards the subject, but keeps the subject in the frame. */
function nearer({ camera, cast }: Scene, by: number): Camera {
  const scale = thousandth(1 - by)
  return {
    x: camera.x,
    y: cast && by > 0 ? thousandth(camera.y + by * 0.3) : camera.y,
    width: thousandth(camera.width * scale),
    height: thousandth(camera.height * scale),
  }
}

/**
 * Moves the subject of a scene to another position. A scene without a subject gets other details.
 * @param options.index the number of this variation; another `seed` gives other variations.
 */
function rearrange(scene: Scene, { index, seed }: { index: number; seed: number }): Scene {
  const names: GeneName[] = scene.cast ? ['subjectX'] : ['detail']
  return { ...scene, genes: redrawn(scene, { salt: mix(seed, index, 1009), names, amount: 0.9 }) }
}

const SUBTLE_GENES: GeneName[] = ['sunX', 'sunY', 'subjectX', 'detail']
const STRONG_GENES: GeneName[] = [...SUBTLE_GENES, 'size', 'terrain']

/** Moves some of the genes of a scene towards new draws. */
function redrawn(
  scene: Scene,
  { salt, names, amount }: { salt: number; names: readonly GeneName[]; amount: number },
): Genes {
  const drawn = genesOf(mix(scene.seed, salt, 77))
  const genes = { ...scene.genes }
  for (const name of names) genes[name] = thousandth(lerp(genes[name], drawn[name], amount))
  return genes
}

interface Inpainting {
  prompt: string
  mask?: string
  seed: number
  index: number
}

/**
 * Repaints the masked area of a picture: the same world, with the subject, weather and time of the prompt. All other
 * pixels stay identical.
 */
export function inpainted(picture: Picture, { mask, ...how }: Inpainting): Picture {
  const { camera } = picture.world
  const scene = repaintedScene(picture, how)
  const size = thousandth(0.7 + 0.28 * unit(mix(how.seed, how.index, 601)))
  const patch = patchOf(scene, { mask, picture, place: camera, size })
  return { ...picture, patches: [...picture.patches, patch] }
}

function patchOf(
  scene: Scene,
  { mask, picture, place, size }: { mask: string | undefined; picture: Picture; place: Camera; size: number },
): Patch {
  if (mask === undefined) {
    return { of: pictureOf(scene, picture), place, edge: MIDDLE }
  }
  const { cast: _, ...land } = scene
  // The background of an emblem is part of its subject.
  const empty: Scene = scene.family === 'emblem' ? { ...scene, isElsewhere: true } : land
  const edge: Edge = {
    shape: 'mask',
    digest: mask,
    feather: 0.03,
    ...(scene.cast && { subject: { scene, size } }),
  }
  return { of: pictureOf(scene.cast ? empty : scene, picture), place, edge }
}

/** The area that is repainted without a mask. */
export const MIDDLE = { shape: 'oval', feather: 0.13, reach: 0.97 } as const satisfies Edge

/** The scene that replaces the masked area. */
function repaintedScene(
  picture: Picture,
  { prompt, seed, index }: { prompt: string; seed: number; index: number },
): Scene {
  const { world } = picture
  const { bare, ...read } = rereadScene(world, prompt, { keeps: true, place: world.bare ?? false })
  return rearrange(bare && prompt.trim() === '' ? { ...read, bare } : read, { index, seed })
}
