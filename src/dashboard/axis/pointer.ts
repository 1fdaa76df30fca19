// The actions of the pointer on the bars: it points, selects, pans, zooms, and drags the end of a task.
import { signal } from '@preact/signals'
import { isFault, type Lane } from '../data/lanes.ts'
import { choose, pointed } from '../data/selection.ts'
import { now } from '../data/store.ts'
import type { Entry } from '../data/types.ts'
import { isEditable, proposeEnd } from './edit.ts'
import { instantAt, pan, placeOf, range, rowHeight, scrolled, visibleLanes, zoom } from './range.ts'

/** The object under the pointer. */
export interface Hover {
  readonly x: number
  readonly y: number
  readonly at: number
  readonly lane?: Lane
  readonly entry?: Entry
  /** Whether the pointer is on an end that can be dragged. */
  readonly isHandle: boolean
}
export const hover = signal<Hover | null>(null)

const entryReach = 7
const handleReach = 9

function findAt(x: number, y: number, width: number): Hover {
  const { from, to } = range.peek()
  const at = instantAt(from + (x / width) * (to - from))
  const lane = visibleLanes.peek()[Math.floor((y + scrolled.peek().top) / rowHeight())]
  if (!lane) return { x, y, at, isHandle: false }
  const xOf = (instant: number): number => ((placeOf(instant) - from) / (to - from)) * width
  let entry: Entry | undefined
  let nearest = entryReach
  for (const each of lane.entries) {
    const distance = Math.abs(xOf(each.at) - x) - (isFault(each) ? 2 : 0)
    if (distance < nearest) [nearest, entry] = [distance, each]
  }
  const isHandle = isEditable(lane) && lane.end !== Infinity && Math.abs(xOf(lane.end) - x) < handleReach
  return { x, y, at, lane, isHandle, ...(entry && !isHandle && { entry }) }
}

interface Drag {
  readonly x: number
  readonly from: number
  readonly to: number
  /** The lane whose end is dragged; undefined if the axis is panned. */
  readonly lane?: Lane
  hasMoved: boolean
}
let drag: Drag | null = null
const minDragPixels = 3

function positionOf(event: PointerEvent | WheelEvent): { x: number; y: number; width: number } {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
  return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width }
}

export function startDrag(event: PointerEvent): void {
  const { x, y, width } = positionOf(event)
  const { from, to } = range.peek()
  const { lane, isHandle } = findAt(x, y, width)
  drag = { x: event.clientX, from, to, hasMoved: false, ...(isHandle && lane && { lane }) }
  ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
}

export function movePointer(event: PointerEvent): void {
  const { x, y, width } = positionOf(event)
  if (drag) {
    const byPixels = event.clientX - drag.x
    if (Math.abs(byPixels) > minDragPixels) drag.hasMoved = true
    const byMs = (byPixels / width) * (drag.to - drag.from)
    if (drag.hasMoved && drag.lane) {
      const end = drag.from + (x / width) * (drag.to - drag.from)
      proposeEnd(drag.lane, Math.max(instantAt(end), now()))
    } else if (drag.hasMoved) {
      range.value = { follows: 'free', from: drag.from - byMs, to: drag.to - byMs }
    }
  }
  const found = findAt(x, y, width)
  hover.value = found
  pointed.value = found.entry?.number ?? null
  ;(event.currentTarget as HTMLElement).style.cursor = found.isHandle || drag?.lane ? 'ew-resize' : ''
}

export function endDrag(event: PointerEvent): void {
  const ended = drag
  drag = null
  if (ended?.hasMoved) return
  const { x, y, width } = positionOf(event)
  const { lane, entry } = findAt(x, y, width)
  if (lane) choose(lane, entry)
}

export function leavePointer(): void {
  hover.value = null
  pointed.value = null
}

/** Ctrl zooms, Shift pans, and otherwise the list of lanes scrolls. */
export function turnWheel(event: WheelEvent, list: HTMLElement): void {
  const { x, width } = positionOf(event)
  if (event.ctrlKey || event.metaKey || event.altKey) {
    event.preventDefault()
    const { from, to } = range.peek()
    zoom(Math.exp(event.deltaY * 0.0025), from + (x / width) * (to - from))
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
    event.preventDefault()
    pan((event.deltaX || event.deltaY) / width)
  } else list.scrollTop += event.deltaY
}
