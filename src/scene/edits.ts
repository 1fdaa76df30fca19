import { lerp, mix, thousandth, wrap } from './numbers.ts'
import { GENE_NAMES, type GeneName, type Genes, type Scene } from './description.ts'
import { genesOf } from './scene.ts'

/**
 * The four siblings of a grid. The first is the scene itself; the second shares its palette, the others take the
 * next two. Family, subject and weather stay.
 */
export function grid(scene: Scene): [Scene, Scene, Scene, Scene] {
  function sibling(number: number, palette: number): Scene {
    return {
      ...scene,
      paletteIndex: wrap(scene.paletteIndex + palette, scene.palettes.length),
      genes: redrawn(scene, { salt: number, names: GENE_NAMES, amount: 1 }),
    }
  }
  return [scene, sibling(1, 0), sibling(2, 1), sibling(3, 2)]
}

/**
 * A variation: subtle nudges light and place, strong also changes size, terrain and palette.
 * @param options.index which of several variations of one scene.
 */
export function vary(scene: Scene, { index, strong = false }: { index: number; strong?: boolean }): Scene {
  const salt = 1000 + index
  if (!strong) return { ...scene, genes: redrawn(scene, { salt, names: SUBTLE_GENES, amount: 0.55 }) }
  return {
    ...scene,
    paletteIndex: wrap(scene.paletteIndex + 1 + (index % 3), scene.palettes.length),
    genes: redrawn(scene, { salt, names: STRONG_GENES, amount: 0.85 }),
  }
}

/** The same world seen by a camera that backs away; the scene is in the middle, `factor` times smaller. */
export function zoomOut(scene: Scene, factor = 2): Scene {
  const { camera } = scene
  return { ...scene, camera: { ...camera, zoom: thousandth(camera.zoom * factor) } }
}

/** The same world seen by a camera that moved right and down, in widths and heights of what it sees. */
export function pan(scene: Scene, by: { x: number; y: number }): Scene {
  const { camera } = scene
  return {
    ...scene,
    camera: {
      ...camera,
      x: thousandth(camera.x + by.x * camera.zoom),
      y: thousandth(camera.y + by.y * camera.zoom),
    },
  }
}

/** The scene of `a` with what only `b` has: a subject, the weather, and half of its palette. */
export function blend(a: Scene, b: Scene): Scene {
  const subject = a.subject ? a : b
  const weather = a.weather ?? b.weather
  const blendedPalette = b.palettes[b.paletteIndex]
  return {
    ...a,
    seed: mix(a.seed, b.seed),
    ...(subject.subject && { subject: subject.subject }),
    ...(subject.subjectColour && { subjectColour: subject.subjectColour }),
    ...(weather && { weather }),
    ...(blendedPalette && { blendedPalette }),
  }
}

/** A sentence that says what a scene shows. */
export function describeScene(scene: Scene): string {
  const parts = [
    SETTINGS[scene.family],
    scene.subject ? `with ${withArticle(scene.subject)}` : '',
    scene.weather ? `in ${scene.weather}` : '',
    scene.time ? `at ${scene.time}` : '',
  ]
  const picture = parts.filter(Boolean).join(' ')
  return `${picture}, ${scene.palettes[scene.paletteIndex]} palette, flat layered vector shapes`
}

const SUBTLE_GENES: GeneName[] = ['sunX', 'sunY', 'subjectX', 'detail']
const STRONG_GENES: GeneName[] = [...SUBTLE_GENES, 'size', 'terrain']

/** The genes of a scene, some of them moved towards new draws. */
function redrawn(
  scene: Scene,
  { salt, names, amount }: { salt: number; names: readonly GeneName[]; amount: number },
): Genes {
  const drawn = genesOf(mix(scene.seed, salt, 77))
  const genes = { ...scene.genes }
  for (const name of names) genes[name] = thousandth(lerp(genes[name], drawn[name], amount))
  return genes
}

const SETTINGS: Record<Scene['family'], string> = {
  hills: 'layered hills',
  dunes: 'desert dunes',
  sea: 'a calm sea',
  city: 'a city skyline',
  forest: 'a misty forest',
  space: 'deep space',
  abstract: 'a geometric composition',
  emblem: 'a poster emblem',
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
