// The three canvases of the axis: bars, ruler, overview.
import { formatDuration, formatInstant } from '../data/format.ts'
import { rulerMarks, rulerStep } from '../data/folds.ts'
import { hasFailed, isFault } from '../data/lanes.ts'
import { chosen, pointed } from '../data/selection.ts'
import { entries, entryByNumber, lanes, now, origin } from '../data/store.ts'
import { colors, drawLine, font, openCanvas, type Surface } from './canvas.ts'
import { drawLane } from './draw-lane.ts'
import { drawProposal } from './edit.ts'
import { hover } from './pointer.ts'
import {
  barHeight,
  currentFolds,
  isCompact,
  placeOf,
  range,
  rowHeight,
  scrolled,
  visibleLanes,
  wholeRun,
} from './range.ts'

function scaleOf(width: number): { xOf: (at: number) => number; marks: number[]; step: number } {
  const { from, to } = range.peek()
  const step = rulerStep((to - from) / width)
  return {
    xOf: (at) => ((placeOf(at) - from) / (to - from)) * width,
    marks: rulerMarks(currentFolds(), { origin: origin.at, from, to, step }),
    step,
  }
}

/** Draws the visible lanes. */
export function drawBars(canvas: HTMLCanvasElement): void {
  const surface = openCanvas(canvas)
  const { ctx, width, height } = surface
  const { xOf, marks } = scaleOf(width)
  const at = now()
  const nowX = xOf(at)
  // The future has another background: it is known, but has not happened.
  if (nowX < width) {
    ctx.fillStyle = colors.future
    ctx.fillRect(Math.max(0, nowX), 0, width, height)
  }
  ctx.strokeStyle = colors['line-soft']
  ctx.lineWidth = 1
  for (const mark of marks) drawLine(ctx, Math.round(xOf(mark)) + 0.5, 0, Math.round(xOf(mark)) + 0.5, height)

  const list = visibleLanes.peek()
  const row = rowHeight()
  const { top } = scrolled.peek()
  const last = Math.min(list.length, Math.ceil((top + height) / row))
  const scene = { ctx, width, now: at, bar: barHeight(), xOf }
  for (let index = Math.max(0, Math.floor(top / row)); index < last; index++) {
    const lane = list[index]!
    const y = index * row - top
    const isPointed = isCompact.peek() && hover.peek()?.lane === lane
    if (isPointed || chosen.peek().lane === lane.id) {
      ctx.fillStyle = colors.select
      ctx.fillRect(0, y, width, row)
    }
    drawLane(scene, lane, y + row / 2)
    drawProposal(scene, lane, y + row / 2)
  }
  drawFolds(surface, xOf)
  drawCursors(surface, xOf)
  if (nowX < -1 || nowX > width + 1) return
  ctx.fillStyle = colors.brand
  ctx.fillRect(Math.round(nowX) - 1, 0, 2, height)
}

function drawFolds({ ctx, width, height }: Surface, xOf: (at: number) => number): void {
  for (const fold of currentFolds()) {
    const x = Math.round(xOf(fold.from)) + 0.5
    if (x < 0 || x > width) continue
    ctx.fillStyle = colors.ground
    ctx.fillRect(x - 5, 0, 10, height)
    ctx.strokeStyle = colors.faint
    ctx.setLineDash([2, 3])
    for (const side of [-4, 4]) drawLine(ctx, x + side, 0, x + side, height)
    ctx.setLineDash([])
  }
}

/** Draws lines at the pointer, and at the exchange under the pointer in the journal. */
function drawCursors({ ctx, height }: Surface, xOf: (at: number) => number): void {
  ctx.lineWidth = 1
  const pointer = hover.peek()
  if (pointer) {
    const x = Math.round(pointer.x) + 0.5
    ctx.strokeStyle = colors.faint
    drawLine(ctx, x, 0, x, height)
  }
  const entry = pointed.peek() === null ? undefined : entryByNumber.get(pointed.peek()!)
  if (!entry) return
  const x = Math.round(xOf(entry.at)) + 0.5
  ctx.strokeStyle = colors.text
  ctx.setLineDash([3, 3])
  drawLine(ctx, x, 0, x, height)
  ctx.setLineDash([])
}

/** Draws the ruler with folds and the mark of now. */
export function drawRuler(canvas: HTMLCanvasElement): void {
  const surface = openCanvas(canvas)
  const { ctx, width, height } = surface
  const { xOf, marks, step } = scaleOf(width)
  ctx.font = font(11, { isMono: true })
  ctx.textBaseline = 'middle'
  const flags = [...drawFoldFlags(surface, xOf), drawNowFlag(surface, xOf(now()))]
  ctx.font = font(11, { isMono: true })
  let labelEnd = -Infinity
  for (const mark of marks) {
    const x = Math.round(xOf(mark)) + 0.5
    ctx.fillStyle = colors.line
    ctx.fillRect(x - 0.5, height - 6, 1, 6)
    if (mark < origin.at || x + 5 < labelEnd) continue
    const label = formatInstant(mark - origin.at, step < 1000 ? 2 : 0)
    const end = x + 9 + ctx.measureText(label).width
    // A truncated label would be read as another time.
    if (flags.some(({ from, to }) => x + 1 < to && end > from)) continue
    ctx.fillStyle = colors.muted
    ctx.fillText(label, x + 5, height / 2 + 1)
    labelEnd = end
  }
}

/** A part of the ruler without space for labels. */
interface Flag {
  readonly from: number
  readonly to: number
}

function drawFoldFlags({ ctx, width, height }: Surface, xOf: (at: number) => number): Flag[] {
  const flags: Flag[] = []
  for (const fold of currentFolds()) {
    const x = xOf(fold.from)
    if (x < 0 || x > width) continue
    const label = `+${formatDuration(fold.savedMs)}`
    const flagWidth = ctx.measureText(label).width + 10
    const from = x - flagWidth / 2
    if (from < (flags.at(-1)?.to ?? -Infinity) + 4) continue
    flags.push({ from, to: x + flagWidth / 2 })
    ctx.fillStyle = colors.surface
    ctx.strokeStyle = colors.line
    ctx.beginPath()
    ctx.roundRect(from, 3, flagWidth, height - 8, 3)
    ctx.fill()
    ctx.stroke()
    ctx.fillStyle = colors.muted
    ctx.fillText(label, from + 5, height / 2)
  }
  return flags
}

/** If now is outside of the visible part, draws an arrow that points to it. */
function drawNowFlag({ ctx, width, height }: Surface, x: number): Flag {
  const [isLeft, isRight] = [x < 0, x > width]
  const label = `${isLeft ? '← ' : ''}${formatInstant(now() - origin.at)}${isRight ? ' →' : ''}`
  ctx.font = font(11, { isMono: true, weight: 600 })
  const flagWidth = ctx.measureText(label).width + 12
  const left = Math.min(Math.max(x - flagWidth / 2, 0), width - flagWidth - (isRight ? 4 : 0))
  ctx.fillStyle = colors.surface
  ctx.fillRect(left - 3, 0, flagWidth + 6, height - 6)
  ctx.fillStyle = colors.brand
  ctx.beginPath()
  ctx.roundRect(left, 2, flagWidth, height - 6, 3)
  ctx.fill()
  if (!isLeft && !isRight) ctx.fillRect(x - 1, height - 5, 2, 5)
  ctx.fillStyle = colors['brand-on']
  ctx.fillText(label, left + 6, height / 2)
  return { from: left - 3, to: left + flagWidth + 3 }
}

const cellWidth = 3

/**
 * Draws an overview of the whole run: the number of requests over time, broken requests, failed tasks, and the visible
 * part.
 */
export function drawOverview(canvas: HTMLCanvasElement): void {
  const { ctx, width, height } = openCanvas(canvas)
  const { first, span } = wholeRun()
  const cells = Math.max(1, Math.floor(width / cellWidth))
  const requests = new Uint32Array(cells)
  const faults = new Uint32Array(cells)
  const cellOf = (at: number): number =>
    Math.min(cells - 1, Math.max(0, Math.floor(((placeOf(at) - first) / span) * cells)))
  for (const entry of entries) {
    const cell = cellOf(entry.at)
    requests[cell]!++
    if (isFault(entry)) faults[cell]!++
  }
  const scale = (height - 8) / requests.reduce((max, count) => Math.max(max, count), 1)
  for (let cell = 0; cell < cells; cell++) {
    if (requests[cell] === 0) continue
    drawColumn(ctx, cell, height - 1, Math.max(2, requests[cell]! * scale), colors.waiting)
    if (faults[cell]! > 0)
      drawColumn(ctx, cell, height - 1, Math.max(3, faults[cell]! * scale), colors.purpose)
  }
  const at = now()
  for (const lane of lanes) if (hasFailed(lane, at)) drawColumn(ctx, cellOf(lane.end), 4, 3, colors.failed)
  const { from, to } = range.peek()
  const left = Math.max(0, ((from - first) / span) * width)
  const right = Math.min(width, ((to - first) / span) * width)
  ctx.fillStyle = colors.ground
  ctx.globalAlpha = 0.72
  ctx.fillRect(0, 0, left, height)
  ctx.fillRect(right, 0, width - right, height)
  ctx.globalAlpha = 1
  ctx.strokeStyle = colors.faint
  ctx.lineWidth = 1
  ctx.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1)
  ctx.fillStyle = colors.brand
  ctx.fillRect(((placeOf(at) - first) / span) * width - 0.5, 0, 1.5, height)
}

function drawColumn(
  ctx: CanvasRenderingContext2D,
  cell: number,
  base: number,
  height: number,
  color: string,
): void {
  ctx.fillStyle = color
  ctx.fillRect(cell * cellWidth, base - height, cellWidth - 1, height)
}
