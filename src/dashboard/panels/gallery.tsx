// The results of tasks. Media come from the control API, so viewing them is not a download of the client.
import { signal } from '@preact/signals'
import { formatCount, formatMany } from '../data/format.ts'
import type { Lane } from '../data/lanes.ts'
import { choose } from '../data/selection.ts'
import { countOpen, hasMedia, lanes, settled, source } from '../data/store.ts'
import { Icon } from '../frame/icons.tsx'

const maxItems = 60
const playing = signal('')

export function Gallery() {
  void settled.value
  const finished = lanes.filter(hasMedia).toReversed()
  const open = countOpen()
  if (finished.length === 0) {
    return (
      <div class="hint">
        <p>Nothing is finished yet.</p>
        <p class="muted">
          {open > 0
            ? `${formatMany(open, 'task')} in progress. Step to the next event to see the first result.`
            : 'Videos and drawings appear here when they are finished.'}
        </p>
      </div>
    )
  }
  return (
    <>
      <p class="muted small gallery-note">
        {formatCount(finished.length)} finished, {open} in progress. Opening one here is not a download:
        journal and verdict don’t change.
      </p>
      <ul class="gallery">
        {finished.slice(0, maxItems).map((lane) => (
          <Item lane={lane} key={lane.id} />
        ))}
      </ul>
    </>
  )
}

function Item({ lane }: { lane: Lane }) {
  const isVideo = lane.medium === 'video'
  return (
    <li>
      {playing.value === lane.id ? (
        <video
          class="thumb"
          autoplay
          muted
          loop
          controls
          src={source.mediaUrl(lane.id, 'media') ?? ''}
          aria-label={lane.label}
        />
      ) : (
        <button
          class="thumb"
          aria-label={`${isVideo ? 'Play' : 'Open'} ${lane.label}`}
          onClick={() => (isVideo ? (playing.value = lane.id) : choose(lane))}
        >
          <Poster lane={lane} />
          {isVideo && (
            <span class="play">
              <Icon name="play" size={14} />
            </span>
          )}
        </button>
      )}
      <button class="caption" onClick={() => choose(lane)}>
        {lane.label}
      </button>
    </li>
  )
}

/** A poster. Texts of pictures and older servers have none; then it stays empty. */
function Poster({ lane }: { lane: Lane }) {
  return (
    <img
      src={source.mediaUrl(lane.id, 'poster') ?? ''}
      alt=""
      loading="lazy"
      decoding="async"
      width="160"
      height="90"
      onError={({ currentTarget }) => (currentTarget.hidden = true)}
    />
  )
}
