import { isPromise, type MaybePromise } from '../../engine/maybe-promise.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { hexDigestOf } from '../cache/digest.ts'
import type { Media } from '../source.ts'
import type { ClipSpec, PictureSpec, StillSpec } from '../spec.ts'
import { addToMp4, addToJpeg, addToPng, pixelChecksum } from './comments.ts'

/**
 * The description that every file of ours contains, as JSON: in the `Comment` of a PNG, in the comment of a JPEG and in the
 * `©cmt` of an MP4.
 */
interface Provenance {
  /** The version of this format. */
  greenroom: 1
  task?: string
  model?: string
  seed?: string
  prompt?: string
  /** The rest of the spec. Missing if it would be too long. */
  scene?: PictureScene | ClipScene | StillScene
  /** For a PNG: a checksum that changes with its pixels. It tells an edited copy from the original. */
  pixels?: string
}

type PictureScene = Omit<PictureSpec, 'taskId'>
type ClipScene = Omit<ClipSpec, 'prompt' | 'model' | 'seed' | 'taskId'>
type StillScene = Omit<ClipScene, 'kind'> & Pick<StillSpec, 'kind' | 'variant'>

/** In characters of JSON. A drawing includes the drawings from which it was made. */
const maxProvenanceLength = 65_536

/**
 * Adds the provenance to a file when the file is sent, so that tasks with the same video share one cached file. Nothing
 * else in the file changes, and the same spec gives the same bytes.
 */
export function addProvenance(
  media: MaybePromise<Media>,
  spec: ClipSpec | StillSpec | PictureSpec,
): MaybePromise<Media> {
  if (isPromise(media)) return media.then((made) => addProvenance(made, spec))
  if (media.type === 'image/webp') return media
  const isPng = media.type === 'image/png'
  const text = provenanceText({
    ...provenanceOf(spec),
    ...(isPng && { pixels: pixelChecksum(media.bytes) }),
  })
  const last = latest.get(media.bytes)
  if (last?.text === text) {
    const made = last.made instanceof WeakRef ? last.made.deref() : last.made
    if (made) return made
  }
  const making = makeFile(media, text).then((made) => {
    latest.set(media.bytes, { text, made: new WeakRef(made) })
    return made
  })
  latest.set(media.bytes, { text, made: making })
  return making
}

/** Concurrent downloads and ranges of one file share its bytes. */
const latest = new WeakMap<Uint8Array, { text: string; made: Promise<Media> | WeakRef<Media> }>()

async function makeFile(media: Media, text: string): Promise<Media> {
  const { type } = media
  const bytes = (writers.get(type) ?? addToMp4)(media.bytes, text)
  return { bytes, type, etag: `"${await hexDigestOf(bytes)}"` }
}

/** Everything else is an MP4. */
const writers: ReadonlyMap<string, typeof addToPng> = new Map([
  ['image/png', addToPng],
  ['image/jpeg', addToJpeg],
])

function provenanceText(whole: Provenance): string {
  const text = provenanceJson(whole)
  if (text.length <= maxProvenanceLength) return text
  const { scene: _, prompt = '', ...rest } = whole
  // A truncated secret would not be recognised, so secrets are removed first.
  return provenanceJson({ ...rest, prompt: withoutSecrets(prompt).slice(0, 2000) })
}

function provenanceOf(spec: ClipSpec | StillSpec | PictureSpec): Provenance {
  if (spec.kind === 'still') {
    const { scene, ...rest } = provenanceOf(spec.clip)
    return { ...rest, scene: { ...(scene as ClipScene), kind: 'still', variant: spec.variant } }
  }
  if (spec.kind === 'clip') {
    const { prompt, model, seed, taskId, ...scene } = spec
    return { greenroom: 1, task: taskId, model, seed, prompt, scene }
  }
  const { taskId, ...scene } = spec
  const { base } = spec.drawing
  return {
    greenroom: 1,
    ...(taskId !== undefined && { task: taskId }),
    ...('model' in base && { model: base.model }),
    ...('seed' in base && { seed: String(base.seed) }),
    prompt: promptOf(spec.drawing) ?? '',
    scene,
  }
}

/** The prompt of a drawing: the last one that changed it, otherwise the first. */
export function promptOf({ base, edits }: Drawing): string | undefined {
  const prompts = edits.map((edit) => ('prompt' in edit && edit.do !== 'inpaint' ? edit.prompt : undefined))
  return prompts.findLast(Boolean) ?? ('prompt' in base ? base.prompt : undefined)
}

/** People pass files on, so API keys, and passwords and signatures in URLs, are removed. */
function provenanceJson(provenance: Provenance): string {
  return JSON.stringify(provenance, (name, value: unknown) => {
    if (typeof value !== 'string') return value
    return withoutSecrets(name === 'url' ? withoutUrlSecrets(value) : value)
  })
}

/** Takes linear time, whatever the prompt. */
function withoutSecrets(text: string): string {
  return text
    .replace(/:\/\/\S*/g, withoutUrlSecrets)
    .replace(/\b((?:sk|pk|key)[-_])[\w.-]{16,}|\b(bearer\s+)[\w.~+/=-]{16,}/gi, '$1$2…')
}

/** A password may contain an @, so it ends at the last one before the path. */
function withoutUrlSecrets(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/:\/\/[^/]*@/g, '://')
}
