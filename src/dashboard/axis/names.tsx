// The names of the visible lanes, as rows of a grid that screen readers can read.
import { formatInstant, formatMany } from '../data/format.ts'
import { stateAt, type Lane } from '../data/lanes.ts'
import { choose, chosen } from '../data/selection.ts'
import { now, origin } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'
import { isCompact, rowHeight, scrolled, visibleLanes } from './range.ts'

const icons = { video: 'video', image: 'image', text: 'text' } as const

/** The number of rows beyond the visible ones, so that scrolling shows no gap. */
const spareRows = 4

export function Names() {
  const list = visibleLanes.value
  const { top, height } = scrolled.value
  const row = rowHeight()
  const first = Math.max(0, Math.floor(top / row) - spareRows)
  const last = Math.min(list.length, Math.ceil((top + height) / row) + spareRows)
  const at = now()
  return (
    <div
      class="names"
      role="grid"
      aria-label="Tasks"
      aria-rowcount={list.length}
      tabIndex={0}
      onKeyDown={(event) => {
        if (!moveByKey(event.key)) return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {!isCompact.value &&
        list
          .slice(first, last)
          .map((lane, index) => <Name lane={lane} at={at} index={first + index} key={lane.id} />)}
    </div>
  )
}

function Name({ lane, at, index }: { lane: Lane; at: number; index: number }) {
  const { phase, status } = stateAt(lane, at)
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={chosen.value.lane === lane.id}
      class={`name ${phase}`}
      style={{ transform: `translateY(${index * rowHeight()}px)` }}
      onClick={() => choose(lane)}
    >
      <span
        role="gridcell"
        class="name-cell"
        style={{ paddingLeft: `${14 + Math.min(lane.depth, 4) * 14}px` }}
      >
        {lane.depth > 0 && <Icon name="nested" size={12} />}
        <Icon name={icons[lane.medium]} />
        <span class="name-label" title={lane.label}>
          {lane.label}
        </span>
        <span class="sr">{describeLane(lane, status)}</span>
        {lane.faults > 0 && (
          <span class="pip" aria-hidden="true">
            {lane.faults}
          </span>
        )}
      </span>
    </div>
  )
}

function describeLane(lane: Lane, status: string): string {
  const parts = [lane.medium, `${status}${lane.reason ? `: ${lane.reason}` : ''}`]
  parts.push(
    `started at ${formatInstant(lane.start - origin.at)}`,
    formatMany(lane.entries.length, 'request'),
  )
  if (lane.depth > 0) parts.push('made from the task above')
  if (lane.faults > 0) parts.push(`${lane.faults} broken on purpose`)
  return `, ${parts.join(', ')}`
}

/** Moves by arrow keys: up and down through the lanes, left and right through the requests of a lane. */
export function moveByKey(key: string): boolean {
  if (key === 'ArrowDown') chooseLaneBy(1)
  else if (key === 'ArrowUp') chooseLaneBy(-1)
  else if (key === 'ArrowRight') chooseEntryBy(1)
  else if (key === 'ArrowLeft') chooseEntryBy(-1)
  else return false
  return true
}

function chooseLaneBy(step: number): void {
  const list = visibleLanes.peek()
  const index = list.findIndex(({ id }) => id === chosen.peek().lane)
  const start = step > 0 ? 0 : list.length - 1
  const nextIndex = index < 0 ? start : Math.min(Math.max(index + step, 0), list.length - 1)
  const next = list[nextIndex]
  if (!next) return
  choose(next)
  scrollToLane(nextIndex)
}

function chooseEntryBy(step: number): void {
  const lane = visibleLanes.peek().find(({ id }) => id === chosen.peek().lane)
  if (!lane) return
  const index = lane.entries.findIndex(({ number }) => number === chosen.peek().entry)
  const start = step > 0 ? 0 : lane.entries.length - 1
  const next = lane.entries[index < 0 ? start : index + step]
  if (next) choose(lane, next)
}

/** Scrolls the list of lanes if the row is not visible. */
function scrollToLane(index: number): void {
  const list = document.querySelector('.lanes-scroll')
  const y = index * rowHeight()
  if (list && (y < list.scrollTop || y > list.scrollTop + list.clientHeight - rowHeight()))
    list.scrollTop = y - list.clientHeight / 2
}
