// The panel for editing the future of a task: when and how it will end. The same change can be copied as a rule.
import { signal } from '@preact/signals'
import { proposal, type Proposal } from '../axis/edit.ts'
import { formatDuration, formatInstant } from '../data/format.ts'
import { hasFailed, lastState, type Lane } from '../data/lanes.ts'
import { applyTask, lanes, now, origin } from '../data/store.ts'
import type { Task } from '../data/types.ts'
import { toYaml } from '../data/yaml.ts'
import { advance } from '../frame/clock-bar.tsx'
import { Icon } from '../frame/icons.tsx'
import { notify, YamlLines } from '../frame/notice.tsx'
import { call } from '../live/api.ts'

const reason = signal('upstream error')

/** The statuses of a task that has ended, as its API spells them. */
const endsOf = (lane: Lane): Task['ends'] => lane.task!.ends

/** Sends a proposed end to the server, which checks it. */
async function applyProposal(proposed: Proposal, { success, failure }: Task['ends']): Promise<void> {
  const { lane: id, outcome, at } = proposed
  const isFailure = outcome === 'failure'
  const change = {
    status: isFailure ? failure : success,
    ...(isFailure && { reason: reason.peek() || 'upstream error' }),
  }
  const path = `/tasks/${encodeURIComponent(id)}`
  const isNow = outcome !== 'never' && at <= now()
  const task = isNow
    ? await call<Task>('POST', `${path}/transition`, change)
    : await call<Task>('POST', `${path}/end`, { ...change, at: outcome === 'never' ? null : Math.ceil(at) })
  if (!task) return
  proposal.value = null
  applyTask(task)
  notify(isNow ? 'The task has ended' : 'The future of the task has changed')
}

export function EditFuture({ lane }: { lane: Lane }) {
  const at = now()
  if (lane.end <= at) {
    return (
      <section class="block this-task">
        <h3>This task</h3>
        <p class="muted small">
          It has {hasFailed(lane, at) ? 'failed' : 'ended'}; tasks that have ended never change.
        </p>
      </section>
    )
  }
  const proposed = proposal.value?.lane === lane.id ? proposal.value : null
  const propose = (outcome: Proposal['outcome'], end: number): void => {
    proposal.value = { lane: lane.id, outcome, at: Math.round(end) }
  }
  const middle = lane.end === Infinity ? at + 30_000 : at + (lane.end - at) / 2
  return (
    <section class="block this-task">
      <h3>The future of this task</h3>
      <p class="this-name">{lane.label}</p>
      <p class="small muted">{describeFuture(lane)} Drag its end on the axis, or:</p>
      <div class="this-ways">
        <button class="purpose" onClick={() => propose('failure', at)}>
          Fail now
        </button>
        <button class="purpose" onClick={() => propose('failure', middle)}>
          Fail later
        </button>
        <button class="purpose" onClick={() => propose('never', at)}>
          Hang
        </button>
        <button class="purpose" onClick={() => propose('success', at)}>
          Finish now
        </button>
        {lane.end !== Infinity && (
          <button onClick={() => void advance({ to: Math.ceil(lane.end) }, 'Moved to its end')}>
            <Icon name="step" size={14} /> Move time to its end
          </button>
        )}
      </div>
      {proposed && <ProposalForm lane={lane} proposed={proposed} />}
    </section>
  )
}

function describeFuture(lane: Lane): string {
  if (lane.end === Infinity) return 'It never ends by itself.'
  return `It becomes ${lastState(lane).status} at ${formatInstant(lane.end - origin.at)}.`
}

function ProposalForm({ lane, proposed }: { lane: Lane; proposed: Proposal }) {
  const { outcome, at } = proposed
  const inMs = Math.max(0, at - now())
  const title =
    outcome === 'never'
      ? 'never ends'
      : `${outcome === 'failure' ? 'fails' : 'succeeds'} ${inMs > 0 ? `in ${formatDuration(inMs)}` : 'now'}`
  return (
    <form
      class="proposal"
      onSubmit={(event) => {
        event.preventDefault()
        void applyProposal(proposed, endsOf(lane))
      }}
    >
      <p>
        <b>It {title}</b>
      </p>
      {outcome !== 'never' && at > now() && (
        <label>
          Seconds from now{' '}
          <input
            type="number"
            min="0"
            step="any"
            value={(inMs / 1000).toFixed(1)}
            onChange={({ currentTarget }) =>
              (proposal.value = { ...proposed, at: now() + Number(currentTarget.value) * 1000 })
            }
          />
        </label>
      )}
      {outcome !== 'never' && (
        <label>
          Outcome{' '}
          <select
            value={outcome}
            onChange={({ currentTarget }) =>
              (proposal.value = { ...proposed, outcome: currentTarget.value as Proposal['outcome'] })
            }
          >
            <option value="success">success</option>
            <option value="failure">failure</option>
          </select>
        </label>
      )}
      {outcome === 'failure' && (
        <label>
          Reason{' '}
          <input value={reason.value} onInput={({ currentTarget }) => (reason.value = currentTarget.value)} />
        </label>
      )}
      <YamlLines text={toYaml([ruleFor(lane, proposed)])} />
      <div class="actions">
        <button type="button" class="quiet" onClick={() => (proposal.value = null)}>
          Cancel
        </button>
        <button class="primary">Apply</button>
      </div>
    </form>
  )
}

/** The scenario rule that gives a task this future from its submission. */
export function ruleFor(lane: Lane, { outcome, at }: Proposal): object {
  const nth = lanes.filter(
    ({ operation, start }) => operation === lane.operation && start <= lane.start,
  ).length
  const end = outcome === 'never' ? Infinity : Math.max(at, now())
  const begin = lane.states.find(({ phase }) => phase === 'working')?.from ?? end
  const queued = seconds(Math.min(begin, end) - lane.start)
  const render = outcome === 'never' ? 'forever' : seconds(Math.max(end - begin, 0))
  const task =
    outcome === 'failure'
      ? { queued, render, outcome, failAt: '100%', reason: reason.value }
      : { queued, render, ...(outcome === 'success' && { outcome }) }
  return { id: `edited-${nth}`, match: { op: lane.operation }, on: nth, task }
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))}s`
}
