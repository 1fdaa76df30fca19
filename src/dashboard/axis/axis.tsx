// The time axis, with a lane for each task. Names are rows of the page, bars are drawn. Both exist only for visible lanes.
import { effect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatCount, formatMany } from '../data/format.ts'
import { chosen, pointed } from '../data/selection.ts'
import { changed, entries, isMoving, lanes, maxLanes, olderLanes } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'
import { drawBars, drawOverview, drawRuler } from './draw.ts'
import { proposal } from './edit.ts'
import { Names } from './names.tsx'
import { endDrag, hover, leavePointer, movePointer, startDrag, turnWheel } from './pointer.ts'
import {
  isCompact,
  isFolding,
  laneFilter,
  laneQuery,
  range,
  rowHeight,
  scrolled,
  showAll,
  updateFolds,
  updateRange,
  visibleLanes,
  wholeRun,
} from './range.ts'
import { Tip } from './tip.tsx'

/** The number and duration of draws, for tests. */
export const drawStats = { draws: 0, drawMs: 0 }

export function Axis() {
  const bars = useRef<HTMLCanvasElement>(null)
  const ruler = useRef<HTMLCanvasElement>(null)
  const overview = useRef<HTMLCanvasElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  void changed.value

  useEffect(() => startDrawing(() => [bars.current, ruler.current, overview.current]), [])
  useEffect(() => {
    const observer = new ResizeObserver(() => noteScroll(list.current))
    observer.observe(list.current!)
    return () => observer.disconnect()
  }, [])
  // New lanes are added below. If the end was visible, it stays visible.
  useEffect(() => {
    if (list.current && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight
  })

  const visible = visibleLanes.value
  const row = rowHeight()
  const below = visible.length - Math.ceil((scrolled.value.top + scrolled.value.height) / row)
  return (
    <section class="axis" aria-label="Time axis">
      <canvas
        class="overview"
        ref={overview}
        aria-hidden="true"
        onDblClick={showAll}
        onPointerDown={moveWindow}
      />
      <div class="ruler-row">
        <span class="ruler-name" title={olderLanes() > 0 ? olderTitle : undefined}>
          {countLanes(visible.length)}
        </span>
        <canvas class="ruler" ref={ruler} aria-hidden="true" />
      </div>
      <div class="lanes">
        <div
          class="lanes-scroll"
          ref={list}
          tabIndex={-1}
          onScroll={({ currentTarget }) => {
            const { scrollTop, clientHeight, scrollHeight } = currentTarget
            isAtEnd.current = scrollTop + clientHeight >= scrollHeight - row
            noteScroll(currentTarget)
          }}
        >
          <div class="lanes-all" style={{ height: `${visible.length * row + 10}px` }}>
            <Names />
          </div>
        </div>
        <canvas
          class="bars"
          ref={bars}
          aria-hidden="true"
          onWheel={(event) => turnWheel(event, list.current!)}
          onPointerDown={startDrag}
          onPointerMove={movePointer}
          onPointerUp={endDrag}
          onPointerLeave={leavePointer}
        />
        <Tip />
        {below > 1 && !isAtEnd.current && (
          <button
            class="pill lanes-more"
            onClick={() => {
              isAtEnd.current = true
              list.current!.scrollTop = list.current!.scrollHeight
            }}
          >
            <Icon name="down" /> {formatCount(below)} more below
          </button>
        )}
      </div>
    </section>
  )
}

const olderTitle = `This page has the latest ${formatCount(maxLanes)} lanes at most. The control API has the older tasks, too.`

function countLanes(visible: number): string {
  const older = olderLanes() > 0 ? `, ${formatCount(olderLanes())} older` : ''
  if (visible === lanes.length) return `${formatMany(lanes.length, 'lane')}${older}`
  return `${formatCount(visible)} of ${formatCount(lanes.length)}`
}

function noteScroll(list: HTMLElement | null): void {
  if (list) scrolled.value = { top: list.scrollTop, height: list.clientHeight }
}

/** Draws a frame whenever data changes or time moves. Returns a function that stops it. */
function startDrawing(canvases: () => (HTMLCanvasElement | null)[]): () => void {
  let frame = 0
  let isDirty = true
  let overviewAt = -Infinity
  let foldedAt = -Infinity
  let wasFolding = false
  const stopEffect = effect(() => {
    void [
      changed.value,
      range.value,
      chosen.value,
      hover.value,
      pointed.value,
      proposal.value,
      scrolled.value,
    ]
    void [laneFilter.value, laneQuery.value, isFolding.value, isCompact.value]
    isDirty = true
  })
  const draw = (time: number): void => {
    frame = requestAnimationFrame(draw)
    const [bars, ruler, overview] = canvases()
    if (document.hidden || !bars?.clientWidth || (!isDirty && !isMoving.peek())) return
    if (isFolding.peek() !== wasFolding || time - foldedAt > 500) {
      wasFolding = isFolding.peek()
      foldedAt = time
      updateFolds()
    }
    isDirty = false
    const start = performance.now()
    updateRange()
    drawBars(bars)
    drawRuler(ruler!)
    if (time - overviewAt > (entries.length > 5_000 ? 500 : 200)) {
      overviewAt = time
      drawOverview(overview!)
    }
    drawStats.draws++
    drawStats.drawMs += performance.now() - start
  }
  frame = requestAnimationFrame(draw)
  return () => {
    stopEffect()
    cancelAnimationFrame(frame)
  }
}

/** Moves the visible part to the position of a drag on the overview. */
function moveWindow(event: PointerEvent): void {
  const canvas = event.currentTarget as HTMLElement
  const move = ({ clientX }: PointerEvent): void => {
    const box = canvas.getBoundingClientRect()
    const { first, span } = wholeRun()
    const center = first + ((clientX - box.left) / box.width) * span
    const half = Math.min(range.value.to - range.value.from, span) / 2
    range.value = { follows: 'free', from: center - half, to: center + half }
  }
  move(event)
  canvas.setPointerCapture(event.pointerId)
  canvas.onpointermove = move
  canvas.onpointerup = () => (canvas.onpointermove = null)
}
