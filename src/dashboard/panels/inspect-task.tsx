// One task or one text: its result, its past and future states, and its requests.
import { formatDuration, formatInstant } from '../data/format.ts'
import { isEnd, stateAt, type Lane } from '../data/lanes.ts'
import { choose } from '../data/selection.ts'
import { changed, hasMedia, laneById, now, origin, source } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'
import { CopyButton } from '../frame/notice.tsx'
import { Status } from '../journal/status.tsx'

export function InspectTask({ lane }: { lane: Lane }) {
  void changed.value
  const at = now()
  const { phase, status } = stateAt(lane, at)
  return (
    <>
      <header class="panel-head">
        <div class="title-row">
          <h2 class="prompt">{lane.label}</h2>
          <span class={`status big ${phase}`}>{status}</span>
        </div>
        <p class="sub mono">
          {lane.id}
          <CopyButton text={lane.id} label="" name="Copy the id" />
        </p>
      </header>
      {hasMedia(lane) && <Media lane={lane} />}
      {lane.reason !== '' && (
        <p class="reason">
          <Icon name="cross" size={14} /> {lane.end > at ? `will fail: ${lane.reason}` : lane.reason}
        </p>
      )}
      <States lane={lane} at={at} />
      {lane.task && <TaskFacts lane={lane} />}
      <section class="block">
        <h3>Requests</h3>
        <Requests lane={lane} />
      </section>
    </>
  )
}

function States({ lane, at }: { lane: Lane; at: number }) {
  return (
    <ol class="steps">
      {lane.states.map(({ phase, status, from }, index) => {
        const next = lane.states[index + 1]
        const lasts = next ? next.from - from : isEnd(phase) ? null : Infinity
        return (
          <li class={`${phase} ${from > at ? 'future' : ''}`} key={from + status}>
            <span class="mono">{formatInstant(from - origin.at)}</span>
            <span class="dot" />
            <span>{status}</span>
            <span class="mono muted right">{lasts === null ? '' : formatDuration(lasts)}</span>
          </li>
        )
      })}
    </ol>
  )
}

function TaskFacts({ lane }: { lane: Lane }) {
  const { model, width, height, seconds, seed } = lane.task!.request as Record<
    string,
    string | number | undefined
  >
  const parent = lane.parent === undefined ? undefined : laneById.get(lane.parent)
  const facts = [
    ['Model', model],
    ['Size', width && `${width}×${height}${seconds ? `, ${seconds} s` : ''}`],
    ['Seed', seed],
    ['Requests', `${lane.entries.length}${lane.faults > 0 ? `, ${lane.faults} broken on purpose` : ''}`],
  ]
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </>
          ),
      )}
      {parent && (
        <>
          <dt>Made from</dt>
          <dd>
            <button class="link" onClick={() => choose(parent)}>
              {parent.label}
            </button>
          </dd>
        </>
      )}
    </dl>
  )
}

const maxRequests = 60

function Requests({ lane }: { lane: Lane }) {
  return (
    <ul class="mini">
      {lane.entries.slice(-maxRequests).map((entry) => (
        <li key={entry.number}>
          <button onClick={() => choose(lane, entry)}>
            <span class="mono muted">{formatInstant(entry.at - origin.at)}</span>
            <span class="mono">{entry.operation}</span>
            <span class="story">{entry.reportedStatus ?? entry.fault ?? ''}</span>
            <Status entry={entry} />
          </button>
        </li>
      ))}
    </ul>
  )
}

function Media({ lane }: { lane: Lane }) {
  const poster = source.mediaUrl(lane.id, 'poster')
  if (poster === undefined) return null
  if (lane.medium !== 'video') return <img class="media" src={poster} alt={lane.label} loading="lazy" />
  return (
    <video
      class="media"
      controls
      muted
      loop
      preload="none"
      poster={poster}
      src={source.mediaUrl(lane.id, 'media') ?? ''}
      aria-label={lane.label}
    />
  )
}
