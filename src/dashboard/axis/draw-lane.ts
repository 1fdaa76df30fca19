// One lane: its states as bars, its end as a disc, its requests as marks.
import { formatDuration } from '../data/format.ts'
import { isEnd, isFault, isRefused, lastState, type Lane } from '../data/lanes.ts'
import type { Entry } from '../data/types.ts'
import { passesFilter } from '../data/query.ts'
import { markedEntries } from '../data/store.ts'
import { colors, drawLine, font, hatch, traceDiamond } from './canvas.ts'

export interface LaneScene {
  readonly ctx: CanvasRenderingContext2D
  readonly width: number
  readonly now: number
  /** The height of a bar. Labels need more than 6. */
  readonly bar: number
  /** Converts an instant to a pixel. */
  readonly xOf: (at: number) => number
}

export function drawLane(scene: LaneScene, lane: Lane, y: number): void {
  const { width, xOf } = scene
  const { states } = lane
  for (let index = 0; index < states.length; index++) {
    const { phase, from } = states[index]!
    if (isEnd(phase)) break
    const x = xOf(from)
    if (x > width + 4) return
    const until = states[index + 1]?.from ?? Infinity
    drawState(scene, lane, { phase, from, until, x, y })
  }
  const hasEnd = isEnd(lastState(lane).phase)
  const endX = hasEnd ? xOf(lane.end) : NaN
  if (hasEnd && endX > -20 && endX < width + 20) drawEnd(scene, lane, endX, y)
  drawRequests(scene, lane, y, hasEnd && lane.end <= scene.now && endX - xOf(lane.start) < 11)
}

interface PlacedState {
  readonly phase: Lane['states'][number]['phase']
  readonly from: number
  readonly until: number
  readonly x: number
  readonly y: number
}

function drawState(scene: LaneScene, lane: Lane, { phase, from, until, x, y }: PlacedState): void {
  const { ctx, width, now, bar, xOf } = scene
  const edge = width + 8
  const end = until === Infinity ? edge : Math.min(xOf(until), edge)
  if (end < -8) return
  const left = Math.max(x, -8)
  const present = Math.min(xOf(Math.max(Math.min(until, now), from)), edge)
  if (now >= from) {
    const past = { x: left, y: y - bar / 2, width: Math.max(present - left, 1), height: bar }
    if (phase === 'waiting') {
      ctx.fillStyle = colors.waiting
      ctx.fillRect(left, y - 1.5, past.width, 3)
    } else {
      const hasEnded = lane.end <= now
      const isBad = hasEnded && lastState(lane).phase === 'failed'
      const badColor = bar > 6 ? colors['failed-soft'] : colors.failed
      ctx.fillStyle = !hasEnded ? colors.working : isBad ? badColor : colors['done-soft']
      ctx.beginPath()
      ctx.roundRect(past.x, past.y, past.width, past.height, 2.5)
      ctx.fill()
      if (isBad && bar > 6) hatch(ctx, past, colors.failed)
    }
  }
  if (until <= now || end <= present) return
  // The known future is drawn as an outline.
  const begin = Math.max(present, left)
  ctx.strokeStyle = phase === 'waiting' ? colors.waiting : colors.working
  ctx.lineWidth = 1
  ctx.setLineDash([3, 2])
  if (phase === 'waiting') drawLine(ctx, begin, y + 0.5, end, y + 0.5)
  else {
    ctx.beginPath()
    ctx.roundRect(begin + 0.5, y - bar / 2 + 0.5, Math.max(end - begin - 1, 1), bar - 1, 2.5)
    ctx.stroke()
  }
  ctx.setLineDash([])
}

const maxLabelLength = 48

function drawEnd({ ctx, bar, now, xOf }: LaneScene, lane: Lane, x: number, y: number): void {
  const isBad = lastState(lane).phase === 'failed'
  const isFuture = lane.end > now
  ctx.globalAlpha = isFuture ? 0.55 : 1
  ctx.fillStyle = isBad ? colors.failed : colors.done
  if (bar <= 6) {
    ctx.fillRect(x - 1.5, y - bar / 2, isBad ? 4 : 2, bar)
    ctx.globalAlpha = 1
    return
  }
  ctx.beginPath()
  ctx.arc(x, y, 6.5, 0, 7)
  ctx.fill()
  ctx.strokeStyle = colors.surface
  ctx.lineWidth = 1.6
  ctx.beginPath()
  if (isBad) {
    ctx.moveTo(x - 2.4, y - 2.4)
    ctx.lineTo(x + 2.4, y + 2.4)
    ctx.moveTo(x + 2.4, y - 2.4)
    ctx.lineTo(x - 2.4, y + 2.4)
  } else {
    ctx.moveTo(x - 2.8, y + 0.2)
    ctx.lineTo(x - 0.8, y + 2.3)
    ctx.lineTo(x + 2.9, y - 2.2)
  }
  ctx.stroke()
  ctx.globalAlpha = isFuture ? 0.8 : 1
  const label = isBad && lane.reason !== '' ? lane.reason : formatDuration(lane.end - lane.start)
  const text = label.length > maxLabelLength ? `${label.slice(0, maxLabelLength - 1)}…` : label
  ctx.fillStyle = isBad ? colors.failed : colors.muted
  ctx.font = font(11.5)
  ctx.textBaseline = 'middle'
  ctx.strokeStyle = isFuture ? colors.future : colors.surface
  ctx.lineWidth = 3
  // The mark of a download is often at this position.
  const last = lane.entries.at(-1)
  const lastX = last && last.at <= now ? xOf(last.at) : x
  const labelX = lastX < x + 60 ? Math.max(x + 11, lastX + 9) : x + 11
  ctx.strokeText(text, labelX, y + 0.5)
  ctx.fillText(text, labelX, y + 0.5)
  ctx.globalAlpha = 1
}

/** If a lane is a single dot, only faults are visible. */
function drawRequests({ ctx, width, bar, xOf }: LaneScene, lane: Lane, y: number, isDot: boolean): void {
  let lastX = -9
  for (const entry of lane.entries) {
    const isMarked = markedEntries.peek().has(entry.number)
    const isImportant = isMarked || isFault(entry)
    if (isDot && !isImportant) continue
    const x = Math.round(xOf(entry.at)) + 0.5
    const isHidden = !isImportant && x - lastX < 2 && !passesFilter('download', entry)
    if (x < -6 || x > width + 6 || isHidden) continue
    lastX = x
    drawRequest(ctx, entry, x, y, bar)
    if (isMarked) drawMark(ctx, x, y)
  }
}

/** Draws a hollow diamond around a request that proves a finding. */
function drawMark(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  ctx.strokeStyle = colors.client
  ctx.lineWidth = 2
  traceDiamond(ctx, x, y, 10)
  ctx.stroke()
}

/**
 * Draws a request: a tick for a poll, a triangle for a download, a diamond for a fault, a hollow diamond for a client's
 * mistake.
 */
function drawRequest(ctx: CanvasRenderingContext2D, entry: Entry, x: number, y: number, bar: number): void {
  ctx.lineWidth = 1.5
  if (isFault(entry) || isRefused(entry)) {
    const isOnPurpose = isFault(entry)
    ctx.fillStyle = isOnPurpose ? colors.purpose : colors.surface
    ctx.strokeStyle = isOnPurpose ? colors.surface : colors.client
    traceDiamond(ctx, x, y, isOnPurpose ? 5.5 : 4.5)
    ctx.stroke()
    ctx.fill()
    if (!isOnPurpose) ctx.stroke()
  } else if (passesFilter('download', entry)) {
    const isWhole = entry.content === 'complete' || entry.content === null
    ctx.fillStyle = isWhole ? colors.text : colors.client
    ctx.beginPath()
    ctx.moveTo(x - 4, y - 8.5)
    ctx.lineTo(x + 4, y - 8.5)
    ctx.lineTo(x, y - 3)
    ctx.fill()
  } else if (passesFilter('submit', entry) || passesFilter('text', entry)) {
    ctx.fillStyle = colors.text
    ctx.beginPath()
    ctx.arc(x, y, 2.5, 0, 7)
    ctx.fill()
  } else {
    ctx.fillStyle = colors.text
    ctx.globalAlpha = 0.62
    ctx.fillRect(x - 0.5, y + bar / 2 - 1, 1, 5)
    ctx.globalAlpha = 1
  }
}
