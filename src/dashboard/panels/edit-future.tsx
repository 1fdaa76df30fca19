// Edit the future of a task: fail it now, or move on to its end.
import type { Lane } from '../data/lanes.ts'
import { now } from '../data/store.ts'
import type { Task } from '../data/types.ts'
import { applyTask } from '../data/store.ts'
import { advance } from '../frame/clock-bar.tsx'
import { Icon } from '../frame/icons.tsx'
import { notify } from '../frame/notice.tsx'
import { call } from '../live/api.ts'

/** Fails a task at the present instant. */
async function fail(lane: Lane): Promise<void> {
  const change = { status: 'FAILURE', reason: 'failed in the dashboard' }
  const task = await call<Task>('POST', `/tasks/${encodeURIComponent(lane.id)}/transition`, change)
  if (!task) return
  applyTask(task)
  notify('The task has failed')
}

export function EditFuture({ lane }: { lane: Lane }) {
  // An ended task never changes.
  const isOpen = lane.end > now()
  return (
    <section class="block this-task">
      <h3>This task</h3>
      <p class="this-name">{lane.label}</p>
      <div class="this-ways">
        <button class="purpose" disabled={!isOpen} onClick={() => void fail(lane)}>
          <Icon name="cross" size={14} /> Fail now
        </button>
        <button
          disabled={!isOpen || lane.end === Infinity}
          onClick={() => void advance({ to: Math.ceil(lane.end) }, 'Moved to its end')}
        >
          <Icon name="step" size={14} /> Move time to its end
        </button>
      </div>
      {!isOpen && <p class="muted small">It has ended; ended tasks never change.</p>}
    </section>
  )
}
