import { COLUMN_WIDTH, drawable, fitText, textPath } from './glyphs.ts'
import { clamp } from '../places/numbers.ts'

/** The complete caption, as outlines in output pixels. `timeMs` counts from the start of the clip. */
export function captionSvg(options: CaptionText & { timeMs: number }): string {
  return timecodeSvg(options) + captionTextSvg(options)
}

/** The texts of a caption that are the same in all frames, and the size of the frame in pixels. */
interface CaptionText {
  prompt: string
  model: string
  taskId: string
  width: number
  height: number
}

/**
 * The part of a caption that is the same in all frames, as an SVG document without a background. It does not overlap the
 * time code, so it is drawn once and composited onto each frame.
 * @returns the document, and its distance from the top of a frame in pixels; undefined for a frame that is too small.
 */
export function captionText(options: CaptionText): { svg: string; top: number } | undefined {
  const { width, height } = options
  const layout = layoutOf(width, height)
  if (!layout) return undefined
  const { bandTop: top } = layout
  const box = `width="${width}" height="${height - top}" viewBox="0 ${top} ${width} ${height - top}"`
  return { svg: `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${captionTextSvg(options)}</svg>`, top }
}

/**
 * The first line of the prompt, truncated to fit, and below it model and task id. `drawable` replaces characters without a
 * glyph.
 */
function captionTextSvg({ prompt, model, taskId, width, height }: CaptionText): string {
  const layout = layoutOf(width, height)
  if (!layout) return ''
  const { size, margin, columns, promptBaseline, detailsBaseline } = layout
  const details = [model, taskId].map((text) => drawable(text.slice(0, maxCharacters))).filter(Boolean)
  const detailColumns = columns - TIMECODE_LENGTH - 2
  return [
    textPath(fitText(drawable(firstLine(prompt)), columns), {
      x: margin,
      y: promptBaseline,
      size,
      fill: '#ffffff',
      opacity: 0.95,
    }),
    textPath(fitText(details.join(' · '), detailColumns), {
      x: margin,
      y: detailsBaseline,
      size,
      fill: '#ffffff',
      opacity: 0.9,
    }),
  ].join('')
}

/** The time code of a caption: minutes, seconds and milliseconds, `00:02.400`, at the right of the dark translucent band. */
export function timecodeSvg({
  timeMs,
  width,
  height,
}: {
  timeMs: number
  width: number
  height: number
}): string {
  const layout = layoutOf(width, height)
  if (!layout) return ''
  const { size, margin, detailsBaseline, bandTop } = layout
  const x = width - margin - TIMECODE_LENGTH * COLUMN_WIDTH * size
  return (
    `<rect y="${bandTop}" width="${width}" height="${height - bandTop}" fill="#0c0a18" fill-opacity="0.66"/>` +
    textPath(timecode(timeMs), { x, y: detailsBaseline, size, fill: '#ffffff', opacity: 0.95 })
  )
}

const TIMECODE_LENGTH = '00:00.000'.length

/** More columns than any frame has. Limits the work for a prompt of a megabyte. */
const maxCharacters = 1000

/** With fewer columns, only the time code fits. */
const FEWEST_COLUMNS = TIMECODE_LENGTH + 8

function layoutOf(width: number, height: number) {
  const size = clamp(Math.round(4.5 + Math.min(width, height) * 0.0215), 7, 64)
  const margin = Math.round(size * 0.9)
  const columns = Math.floor((width - 2 * margin) / (COLUMN_WIDTH * size))
  const bandTop = Math.round(height - size * 3.7)
  if (columns < FEWEST_COLUMNS || bandTop < height / 2) return undefined
  return {
    size,
    margin,
    columns,
    bandTop,
    promptBaseline: Math.round(height - size * 2.28),
    detailsBaseline: Math.round(height - size * 0.9),
  }
}

function firstLine(prompt: string): string {
  const start = prompt.slice(0, maxCharacters * 2).trimStart()
  return (start.split(/[\n\r\u2028\u2029]/, 1)[0] ?? '').slice(0, maxCharacters)
}

function timecode(timeMs: number): string {
  const total = Math.max(0, Math.round(timeMs))
  const minutes = digits(Math.floor(total / 60_000), 2)
  const seconds = digits(Math.floor(total / 1000) % 60, 2)
  return `${minutes}:${seconds}.${digits(total % 1000, 3)}`
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0')
}
