import * as z from 'zod/mini'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { commentOfMp4, addToJpeg, commentOfJpeg, commentOfPng, pixelChecksum } from './comments.ts'
import { maxProvenanceLength } from './provenance.ts'

const word = z.optional(z.string().check(z.maxLength(maxProvenanceLength)))

const provenance = z.object({
  greenroom: z.literal(1),
  task: word,
  model: word,
  seed: word,
  prompt: word,
  scene: z.optional(z.record(z.string(), z.unknown())),
  pixels: word,
})

/** The description in a file. It may be forged: don't trust it. */
export type ReadProvenance = z.infer<typeof provenance>

/** The provenance of a PNG, JPEG or MP4; undefined if there is none, or another version. */
export function readProvenance(bytes: Uint8Array): ReadProvenance | undefined {
  const comment =
    commentOfPng(bytes, maxProvenanceLength) ??
    commentOfJpeg(bytes) ??
    commentOfMp4(bytes, maxProvenanceLength)
  if (comment === undefined || comment.length > maxProvenanceLength) return undefined
  return provenance.safeParse(parseJson(comment)).data
}

/** Whether the pixels of a file are the original ones. Always true for an MP4, which has no checksum of them. */
export function hasOwnPixels(bytes: Uint8Array, { pixels }: ReadProvenance): boolean {
  return pixels === undefined || pixels === pixelChecksum(bytes)
}

/**
 * The drawing of a PNG of ours. Undefined for all other files, for edited ones, for a part of a drawing, and for a drawing
 * that takes long to render.
 */
export function readDrawing(bytes: Uint8Array): Drawing | undefined {
  const found = readProvenance(bytes)
  return found?.pixels !== undefined && hasOwnPixels(bytes, found) ? toDrawing(found.scene) : undefined
}

/** The drawing in a stored JPEG that was such a PNG. */
export function readStoredDrawing(bytes: Uint8Array): Drawing | undefined {
  const comment = commentOfJpeg(bytes)
  return comment === undefined ? undefined : toDrawing(parseJson(comment))
}

/** Adds its drawing to a stored JPEG. */
export function addDrawing(bytes: Uint8Array, drawing: Drawing): Uint8Array {
  return addToJpeg(bytes, JSON.stringify({ kind: 'picture', drawing }))
}

/** A drawing that is safe and quick to render; undefined for everything else. */
export function toDrawing(scene: unknown): Drawing | undefined {
  try {
    const { data } = pictureScene.safeParse(scene)
    return data && isQuick(data.drawing) ? (data.drawing as unknown as Drawing) : undefined
  } catch {
    // Nested too deeply.
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The maximum number of drawings in a drawing, and of its edits. */
const maxDrawings = 8
const maxEdits = 32

function isQuick(drawing: unknown): boolean {
  let [drawings, edits] = [0, 0]
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('base' in value) drawings += 1
    if ('do' in value) edits += 1
    for (const part of Object.values(value)) visit(part)
  }
  visit(drawing)
  return drawings <= maxDrawings && edits <= maxEdits
}

const side = z.int().check(z.minimum(1), z.maximum(4096))
const seed = z.int().check(z.minimum(0), z.maximum(0xffffffff))
const text = z.string().check(z.maxLength(maxProvenanceLength))
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/))
// It becomes part of an SVG.
const colour = z.string().check(z.regex(/^#[0-9a-f]{6}$/))
const frame = { width: side, height: side }

const photo = z.strictObject({
  digest: z.optional(digest),
  url: z.optional(z.string().check(z.maxLength(4096))),
  get drawing(): z.ZodMiniOptional<z.ZodMiniType> {
    return z.optional(drawing)
  },
  ...frame,
  colours: z.array(colour).check(z.minLength(1), z.maxLength(16)),
})
const photos = z.array(photo).check(z.maxLength(10))

const base = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('imagine'),
    prompt: text,
    model: z.string().check(z.maxLength(40)),
    seed,
    ...frame,
    chaos: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
    without: z.optional(z.array(text).check(z.maxLength(100))),
    tile: z.optional(z.boolean()),
    images: z.optional(photos),
    imageWeight: z.optional(z.number().check(z.minimum(0), z.maximum(3))),
  }),
  z.strictObject({
    kind: z.literal('blend'),
    images: photos.check(z.minLength(2), z.maxLength(5)),
    seed,
    ...frame,
  }),
  z.strictObject({ kind: z.literal('edit'), image: photo, prompt: text, seed, ...frame }),
  z.strictObject({ kind: z.literal('photo'), image: photo, ...frame }),
])

const tile = z.int().check(z.minimum(1), z.maximum(4))
const prompt = z.optional(text)

const edit = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('upscale'), tile }),
  z.strictObject({ do: z.literal('enlarge'), creative: z.boolean(), seed }),
  z.strictObject({ do: z.literal('vary'), tile: z.optional(tile), strong: z.boolean(), seed, prompt }),
  z.strictObject({
    do: z.literal('zoom'),
    factor: z.number().check(z.minimum(1), z.maximum(2)),
    ratio: z.optional(z.number().check(z.minimum(0.01), z.maximum(100))),
    seed,
    prompt,
  }),
  z.strictObject({
    do: z.literal('pan'),
    towards: z.enum(['left', 'right', 'up', 'down']),
    seed,
    prompt,
  }),
  z.strictObject({ do: z.literal('inpaint'), prompt: text, mask: z.optional(digest), seed }),
])

const drawing = z.strictObject({ base, edits: z.array(edit).check(z.maxLength(maxEdits)) })

const pictureScene = z.strictObject({
  kind: z.literal('picture'),
  drawing,
  // A thumbnail shows the whole drawing. A tile of a grid, or an unfinished picture, doesn't.
  maxSide: z.optional(z.number()),
})
