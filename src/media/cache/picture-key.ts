import { hexDigestOfText } from './digest.ts'
import type { PictureSpec } from '../spec.ts'

/** Raised by hand whenever the same spec gives other bytes than before. */
const recipe = 1

/**
 * The name under which a picture is kept: it changes with all that decides the bytes.
 * @param options.isWhole whether all that it is made of is there; otherwise stand-ins are shown.
 */
export function pictureKey(spec: PictureSpec, { isWhole }: { isWhole: boolean }): string {
  const { drawing, tile, progress, maxSide } = spec
  const isFinished = progress === undefined || progress >= 100
  const shape = [tile ?? null, isFinished ? null : progress, maxSide ?? null]
  const canonical = JSON.stringify([recipe, isWhole, ...shape, inOrder(drawing)])
  return hexDigestOfText(canonical)
}

/** The same data with the names in order: who wrote them in another one means the same picture. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, part]) => [name, inOrder(part)]))
}
