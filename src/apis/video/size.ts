/** Width and height in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Reads `1280x720`; null for anything else. */
export function parseSize(text: string): Size | null {
  const match = /^(\d{1,9})\s*[x*×]\s*(\d{1,9})$/i.exec(text.trim())
  return match ? { width: Number(match[1]), height: Number(match[2]) } : null
}

/** Reads `720p`, `4k`, or a plain number of lines: the pixels of the short side; null for anything else. */
export function parseResolution(text: string): number | null {
  const lower = text.trim().toLowerCase()
  const match = /^(\d{2,4})p?$/.exec(lower)
  return match ? Number(match[1]) : (namedResolutions.get(lower) ?? null)
}

const namedResolutions: ReadonlyMap<string, number> = new Map([
  ['sd', 480],
  ['hd', 720],
  ['fhd', 1080],
  ['2k', 1440],
  ['4k', 2160],
])

/** Reads `16:9`: width by height; null for anything else. */
export function parseAspectRatio(text: string): number | null {
  const match = /^(\d{1,4}(?:\.\d+)?)\s*[:/]\s*(\d{1,4}(?:\.\d+)?)$/.exec(text.trim())
  const ratio = match ? Number(match[1]) / Number(match[2]) : NaN
  return Number.isFinite(ratio) && ratio > 0 ? ratio : null
}

/** The size with a short side and proportions. Its sides are even, which encoders need. */
export function sizeOf(shortSide: number, aspectRatio: number): Size {
  const size =
    aspectRatio >= 1
      ? { width: shortSide * aspectRatio, height: shortSide }
      : { width: shortSide, height: shortSide / aspectRatio }
  return evenSize(size)
}

/** Rounded to even numbers of pixels. */
export function evenSize({ width, height }: Size): Size {
  return { width: Math.round(width / 2) * 2, height: Math.round(height / 2) * 2 }
}
