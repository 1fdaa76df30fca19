import { vary } from './edits.ts'
import { genesOf, rereadScene } from '../places/scene.ts'
import { mix, thousandth, unit } from '../places/numbers.ts'
import type { Edge, Overlay, PhotoView, Picture } from '../composition/picture.ts'

interface Variation {
  strong: boolean
  seed: number
  index: number
  prompt?: string
}

/**
 * Creates one of four variations of a picture: worlds vary by their genes, photos by light, colour and mirroring. All
 * worlds within a picture vary in the same way, so that they stay aligned.
 */
export function varied(picture: Picture, how: Variation): Picture {
  const { strong, seed, index, prompt } = how
  const world = vary(picture.world, { index, strong, seed })
  return {
    ...picture,
    world: prompt === undefined ? world : rereadScene(world, prompt),
    patches: picture.patches.map((patch) => ({
      ...patch,
      of: variedSource(patch.of, how),
      edge: variedEdge(patch.edge, how),
    })),
  }
}

/** The same picture with other details: clouds, trees, birds. */
export function enlarged(picture: Picture, seed: number): Picture {
  const { world } = picture
  const { detail } = genesOf(mix(world.seed, seed, 79))
  return {
    ...picture,
    world: { ...world, genes: { ...world.genes, detail } },
    patches: picture.patches.map((patch) => {
      if (patch.of.kind === 'picture') return { ...patch, of: enlarged(patch.of, seed) }
      if (patch.of.kind === 'overlay') return patch
      const saturation = thousandth((patch.of.saturation ?? 1) * (1.04 + 0.1 * unit(seed, 5)))
      return { ...patch, of: { ...patch.of, saturation } }
    }),
  }
}

function variedSource<Source extends Picture | PhotoView | Overlay>(
  source: Source,
  how: Variation,
): Picture | PhotoView | Overlay {
  switch (source.kind) {
    case 'picture': {
      const { prompt: _, ...rest } = how
      return varied(source, rest)
    }
    case 'overlay':
      return { ...source, scene: vary(source.scene, how) }
    case 'photo':
      return variedPhoto(source, how)
  }
}

function variedEdge(edge: Edge, how: Variation): Edge {
  if (edge.shape !== 'mask' || !edge.subject) return edge
  return { ...edge, subject: { ...edge.subject, scene: vary(edge.subject.scene, how) } }
}

function variedPhoto(view: PhotoView, { strong, seed, index }: Variation): PhotoView {
  const draw = (n: number) => unit(mix(seed, index, 83), n)
  const reach = strong ? 1 : 0.4
  // Each of the four variations rotates the hue differently.
  const hue = [12, -14, 24, -26][index % 4]! * reach * (0.7 + 0.6 * draw(1))
  return {
    ...view,
    hue: Math.round((view.hue ?? 0) + hue * (strong ? 1.6 : 1)),
    light: thousandth((view.light ?? 1) * (1 + (draw(2) - 0.5) * 0.3 * reach)),
    saturation: thousandth((view.saturation ?? 1) * (1 + (draw(3) - 0.4) * 0.5 * reach)),
    flipped: (view.flipped ?? false) !== (strong && index % 2 === 1),
  }
}
