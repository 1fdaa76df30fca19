// A tip next to the pointer: the request, or the state of a lane at that instant.
import { formatDuration, formatInstant } from '../data/format.ts'
import { stateAt, type Lane } from '../data/lanes.ts'
import { now, origin } from '../data/store.ts'
import type { Entry } from '../data/types.ts'
import { hover } from './pointer.ts'

const tipWidth = 260

export function Tip() {
  const pointer = hover.value
  if (!pointer?.lane) return null
  const { lane, entry, at, x, y, isHandle } = pointer
  const width = document.querySelector('.bars')?.clientWidth ?? 0
  const isNearEdge = x > width - tipWidth
  const style = {
    left: isNearEdge ? 'auto' : `calc(var(--gutter) + ${x + 14}px)`,
    right: isNearEdge ? `calc(100% - var(--gutter) - ${x - 14}px)` : 'auto',
    top: `${y + 18}px`,
  }
  return (
    <div class="tip" style={style}>
      {entry ? <EntryTip entry={entry} /> : <LaneTip lane={lane} at={at} isHandle={isHandle} />}
    </div>
  )
}

function EntryTip({ entry }: { entry: Entry }) {
  const facts = [entry.status || '—', entry.fault, entry.reportedStatus].filter(Boolean)
  const rules = entry.rules.length > 0 ? ` · ${entry.rules.join(', ')}` : ''
  return (
    <>
      <b>
        #{entry.number} {entry.operation}
      </b>
      <span class="mono">{facts.join(' · ')}</span>
      <span class="muted mono">
        at {formatInstant(entry.at - origin.at, 2)}
        {rules}
      </span>
    </>
  )
}

function LaneTip({ lane, at, isHandle }: { lane: Lane; at: number; isHandle: boolean }) {
  const state = stateAt(lane, at)
  const next = lane.states[lane.states.indexOf(state) + 1]
  const lasts = next ? ` for ${formatDuration(next.from - state.from)}` : ''
  return (
    <>
      <b>{lane.label}</b>
      <span class="mono">
        {at < lane.start ? 'not submitted yet' : `${at > now() ? 'will be ' : ''}${state.status}${lasts}`}
      </span>
      <span class="muted mono">at {formatInstant(at - origin.at)}</span>
      {isHandle && <span class="purpose-text">Drag to move its end</span>}
    </>
  )
}
