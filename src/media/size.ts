import { caps } from '../engine/caps.ts'
import type { Size } from './raster/raster.ts'
import type { Quality } from './spec.ts'

/** The longest clip in seconds, and the bounds of its sides in pixels. */
export interface RenderLimits {
  readonly seconds: number
  readonly minSide: number
  readonly maxSide: number
}

/** The defaults of a clip, and the limits of rendering and of its prompt. */
export const clipDefaults = {
  seconds: 5,
  size: '1280x720',
  rendered: { seconds: 60, minSide: 64, maxSide: 1_920 } satisfies RenderLimits,
  framesPerSecond: { full: 24, fast: 12 } satisfies Readonly<Record<Quality, number>>,
  promptLimitCharacters: caps.promptCharacters,
}

/** Parses `1280x720`; null for another format. */
export function parseSize(text: string): Size | null {
  const match = /^(\d{1,9})\s*[x*×]\s*(\d{1,9})$/i.exec(text.trim())
  return match ? { width: Number(match[1]), height: Number(match[2]) } : null
}

/** Parses `720p`, `4k`, or a number of lines: the pixels of the short side; null for another format. */
export function parseResolution(text: string): number | null {
  const lower = text.trim().toLowerCase()
  const match = /^(\d{2,5})p?$/.exec(lower)
  return match ? Number(match[1]) : (namedResolutions.get(lower) ?? null)
}

const namedResolutions: ReadonlyMap<string, number> = new Map([
  ['sd', 480],
  ['hd', 720],
  ['fhd', 1080],
  ['2k', 1440],
  ['4k', 2160],
  ['uhd', 2160],
  ['8k', 4320],
])

/** Parses `16:9`: width by height; null for another format. */
export function parseAspectRatio(text: string): number | null {
  const match = /^(\d{1,4}(?:\.\d+)?)\s*[:/]\s*(\d{1,4}(?:\.\d+)?)$/.exec(text.trim())
  const ratio = match ? Number(match[1]) / Number(match[2]) : NaN
  return Number.isFinite(ratio) && ratio > 0 ? ratio : null
}

/**
 * Parses a size in a request: `1280x720`, a resolution such as `1080p`, or an aspect ratio such as `16:9`.
 * @param instead provides the missing part: the proportions, or the short side.
 * @returns null for another format.
 */
export function parseAnySize(text: string, instead: Size): Size | null {
  const size = parseSize(text)
  if (size) return size
  const shortSide = parseResolution(text)
  if (shortSide !== null) return sizeOf(shortSide, instead.width / instead.height)
  const ratio = parseAspectRatio(text)
  return ratio === null ? null : sizeOf(Math.min(instead.width, instead.height), ratio)
}

/**
 * The largest size with the same proportions whose sides are within the bounds. If there is none, each side is limited
 * separately.
 */
export function fitSize(
  { width, height }: Size,
  { minSide, maxSide }: { minSide: number; maxSide: number },
): Size {
  const scale =
    Math.min(1, maxSide / Math.max(width, height)) * Math.max(1, minSide / Math.min(width, height))
  const clamp = (side: number): number => Math.min(maxSide, Math.max(minSide, side * scale))
  return evenSize({ width: clamp(width), height: clamp(height) })
}

/** The size with a short side and proportions. Its sides are even, as encoders require. */
export function sizeOf(shortSide: number, aspectRatio: number): Size {
  const size =
    aspectRatio >= 1
      ? { width: shortSide * aspectRatio, height: shortSide }
      : { width: shortSide, height: shortSide / aspectRatio }
  return evenSize(size)
}

/** Rounds to even numbers of pixels. */
export function evenSize({ width, height }: Size): Size {
  return { width: Math.round(width / 2) * 2, height: Math.round(height / 2) * 2 }
}
