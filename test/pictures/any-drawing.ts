import fc from 'fast-check'
import type { Drawing, PanDirection } from '../../src/pictures/composition/drawing.ts'
import { photoNamed } from './drawings.ts'

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const prompt = fc.constantFrom(
  'a fox in the hills',
  'neon city at night',
  'red fox portrait',
  '',
  'abstract',
  'a boat in a storm',
)
const photo = fc.constantFrom('a', 'b', 'c').map((name) => photoNamed(name))
const tile = fc.integer({ min: 1, max: 4 })
const changedPrompt = fc.option(prompt, { nil: undefined })
const ratio = fc.option(fc.double({ min: 0.2, max: 5, noNaN: true }), { nil: undefined })

/** The drawing API accepts aspect ratios from 1:14 to 14:1. */
const maxRatio = 14

const isFrame = (width: number, height: number): boolean =>
  Math.max(width / height, height / width) <= maxRatio

const side = fc.integer({ min: 16, max: 3000 })

const anyBase = fc.oneof(
  fc.record({
    kind: fc.constant('imagine' as const),
    prompt,
    model: fc.constant('7'),
    seed,
    width: side,
    height: side,
    chaos: fc.integer({ min: 0, max: 100 }),
    tile: fc.boolean(),
    images: fc.array(photo, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('blend' as const),
    images: fc.array(photo, { minLength: 2, maxLength: 5 }),
    seed,
    width: side,
    height: side,
  }),
  fc.record({ kind: fc.constant('edit' as const), image: photo, prompt, seed, width: side, height: side }),
  fc.record({ kind: fc.constant('photo' as const), image: photo, width: side, height: side }),
)

const base = anyBase.filter(({ width, height }) => isFrame(width, height))

const zoom = fc.record({
  do: fc.constant('zoom' as const),
  factor: fc.double({ min: 1, max: 2, noNaN: true }),
  ratio,
  seed,
  prompt: changedPrompt,
})
const pan = fc.record({
  do: fc.constant('pan' as const),
  towards: fc.constantFrom<PanDirection[]>('left', 'right', 'up', 'down'),
  seed,
  prompt: changedPrompt,
})
const vary = fc.record({
  do: fc.constant('vary' as const),
  tile,
  strong: fc.boolean(),
  seed,
  prompt: changedPrompt,
})
const edit = fc.oneof(
  fc.record({ do: fc.constant('upscale' as const), tile }),
  fc.record({ do: fc.constant('enlarge' as const), creative: fc.boolean(), seed }),
  fc.oneof(zoom, pan, vary).map(withoutNothing),
  fc.record({ do: fc.constant('inpaint' as const), prompt, seed }),
)

/** Any base with up to twelve edits, in any order, whether or not they fit. */
export const anyDrawing = fc.record({
  base,
  edits: fc.array(edit, { maxLength: 12 }),
}) as fc.Arbitrary<Drawing>

function withoutNothing<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
