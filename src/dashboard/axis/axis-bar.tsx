// The toolbar of the axis: it selects the lanes and the period.
import { connection } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'
import {
  followFit,
  followNow,
  isCompact,
  isFolding,
  laneFilter,
  laneQuery,
  range,
  zoom,
  type LaneFilter,
} from './range.ts'

const filters: readonly (readonly [LaneFilter, string])[] = [
  ['all', 'All'],
  ['video', 'Videos'],
  ['image', 'Images'],
  ['text', 'Texts'],
  ['open', 'Open'],
  ['failed', 'Failed'],
  ['faults', 'Broken on purpose'],
]

export function AxisBar() {
  const { follows } = range.value
  return (
    <div class="bar axis-bar">
      <div class="chips" role="group" aria-label="Filter lanes">
        {filters.map(([name, label]) => (
          <button
            class="chip"
            key={name}
            aria-pressed={laneFilter.value === name}
            onClick={() => (laneFilter.value = name)}
          >
            {label}
          </button>
        ))}
      </div>
      <label class="find">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Prompt or id"
          aria-label="Find a lane by prompt or id"
          value={laneQuery.value}
          onInput={({ currentTarget }) => (laneQuery.value = currentTarget.value)}
        />
      </label>
      <span class="gap" />
      <button
        class="chip"
        aria-pressed={isFolding.value}
        onClick={() => (isFolding.value = !isFolding.value)}
        title="Hide stretches in which nothing happens (G)"
      >
        <Icon name="fold" /> Fold idle
      </button>
      <button
        class="chip"
        aria-pressed={isCompact.value}
        onClick={() => (isCompact.value = !isCompact.value)}
        title="Thin rows, for the shape of thousands of tasks (C)"
      >
        Compact
      </button>
      <div class="segments" role="group" aria-label="Visible time">
        <button aria-pressed={follows === 'fit'} onClick={followFit} title="Fit the lanes in view (F)">
          Fit
        </button>
        {connection.value !== 'report' && (
          <button aria-pressed={follows === 'live'} onClick={followNow} title="Follow the present (L)">
            Live
          </button>
        )}
        <button aria-label="Zoom out" onClick={() => zoom(1.5)} title="Zoom out (S)">
          −
        </button>
        <button aria-label="Zoom in" onClick={() => zoom(1 / 1.5)} title="Zoom in (W)">
          +
        </button>
      </div>
    </div>
  )
}
