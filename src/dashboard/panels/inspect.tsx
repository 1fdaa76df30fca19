// The inspector: an exchange or a task.
import { choose, chosen } from '../data/selection.ts'
import { changed, entryByNumber, laneById } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'
import { InspectExchange } from './inspect-exchange.tsx'
import { InspectTask } from './inspect-task.tsx'

export function Inspect() {
  const { lane: laneId = '', entry: number = 0 } = chosen.value
  void changed.value
  const entry = entryByNumber.get(number)
  const lane = laneById.get(laneId)
  if (!entry && !lane) {
    return (
      <div class="hint">
        <p>Choose a lane or a request to see what was sent, what came back, and why.</p>
        <p class="muted">
          <kbd>↑</kbd> <kbd>↓</kbd> lanes, <kbd>←</kbd> <kbd>→</kbd> the requests of one.
        </p>
      </div>
    )
  }
  return (
    <div class="inspect">
      {lane && (
        <nav class="crumbs" aria-label="Task and request">
          <button class="link" aria-current={!entry} onClick={() => choose(lane)}>
            {lane.medium}
          </button>
          {entry && (
            <>
              <Icon name="chevron" size={12} />
              <span>#{entry.number}</span>
            </>
          )}
        </nav>
      )}
      {entry ? <InspectExchange entry={entry} /> : <InspectTask lane={lane!} />}
    </div>
  )
}
