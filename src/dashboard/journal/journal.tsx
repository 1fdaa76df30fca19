// The journal: every exchange, the latest at the bottom. The page contains only visible rows.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatBytes, formatCount, formatDuration, formatInstant } from '../data/format.ts'
import { isFault } from '../data/lanes.ts'
import { choose, chosen, pointed } from '../data/selection.ts'
import {
  changed,
  connection,
  counts,
  entries,
  laneById,
  markedEntries,
  olderEntries,
  origin,
} from '../data/store.ts'
import type { Entry } from '../data/types.ts'
import { Icon } from '../frame/icons.tsx'
import { listAll, listedEntries } from './entries.ts'
import { describeResult, Status } from './status.tsx'

interface BodyRef {
  readonly current: HTMLDivElement | null
}

const rowHeight = 26
/** The number of rows beyond the visible ones, so that scrolling shows no gap. */
const spareRows = 6

const scrolled = signal({ top: 0, height: 240 })
/** How many entries were listed when the user scrolled up; null while the list follows its end. */
const pausedAt = signal<number | null>(null)

export function Journal() {
  void changed.value
  const body = useRef<HTMLDivElement>(null)
  const list = listedEntries.value
  const { top, height } = scrolled.value
  const first = Math.max(0, Math.floor(top / rowHeight) - spareRows)
  const last = Math.min(list.length, Math.ceil((top + height) / rowHeight) + spareRows)
  useEffect(() => {
    if (followsEnd()) scrollToEnd(body)
  }, [list.length])
  const { entry: chosenNumber } = chosen.value
  useEffect(
    () =>
      reveal(
        list.findIndex(({ number }) => number === chosenNumber),
        body,
      ),
    [chosenNumber],
  )
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (!body.current) return
      if (followsEnd()) scrollToEnd(body)
      scrolled.value = { top: body.current.scrollTop, height: body.current.clientHeight }
    })
    observer.observe(body.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <section class="journal" aria-label="Journal">
      <div class="journal-head" aria-hidden="true">
        {['#', 'Time', 'Operation', 'About', 'Status', 'Result', 'Took', 'Size'].map((title) => (
          <span key={title}>{title}</span>
        ))}
      </div>
      <div
        class="journal-body"
        ref={body}
        role="grid"
        aria-label="Exchanges"
        aria-rowcount={list.length}
        tabIndex={0}
        onKeyDown={(event) => {
          if (!moveInList(event.key, list, body)) return
          event.preventDefault()
          event.stopPropagation()
        }}
        onScroll={({ currentTarget }) => noteScroll(currentTarget, list.length)}
      >
        <div style={{ height: `${list.length * rowHeight}px` }} role="presentation">
          {list.slice(first, last).map((entry, index) => (
            <Row entry={entry} index={first + index} key={entry.number} />
          ))}
        </div>
      </div>
      {list.length === 0 && <NoEntries />}
      {pausedAt.value !== null && connection.value !== 'report' && (
        <PausedButton added={list.length - pausedAt.value} body={body} />
      )}
      {olderEntries() > 0 && top < rowHeight && <OlderEntries />}
    </section>
  )
}

function Row({ entry, index }: { entry: Entry; index: number }) {
  const { number, at, operation, method, path, task, prompt, settledAt, bytes } = entry
  const lane = laneById.get(task ?? `#${number}`)
  const about = task === null ? (prompt ?? path) : (lane?.label ?? task)
  const finding = markedEntries.value.get(number)
  const result = [finding, describeResult(entry)].filter(Boolean).join(' · ')
  const classes = [
    'exchange',
    isFault(entry) && 'fault',
    pointed.value === number && 'pointed',
    finding && 'marked',
  ]
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={chosen.value.entry === number}
      class={classes.filter(Boolean).join(' ')}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
      onClick={() => choose(lane, entry)}
      onPointerEnter={() => (pointed.value = number)}
      onPointerLeave={() => (pointed.value = null)}
    >
      <span role="gridcell" class="num">
        {number}
      </span>
      <span role="gridcell" class="time">
        {formatInstant(at - origin.at, 2)}
      </span>
      <span role="gridcell" class="mono op">
        {operation ?? `${method} ${path}`}
      </span>
      <span role="gridcell" class="about" title={about}>
        {about}
      </span>
      <span role="gridcell">
        <Status entry={entry} />
      </span>
      <span role="gridcell" class="story" title={result}>
        {result}
      </span>
      <span role="gridcell" class="right">
        {settledAt === null ? '…' : formatDuration(settledAt - at)}
      </span>
      <span role="gridcell" class="right muted">
        {bytes > 0 ? formatBytes(bytes) : ''}
      </span>
    </div>
  )
}

function NoEntries() {
  return (
    <p class="none">
      {entries.length === 0 ? (
        'No requests yet.'
      ) : (
        <>
          No request matches.{' '}
          <button class="link" onClick={listAll}>
            Show all {formatCount(entries.length)}
          </button>
        </>
      )}
    </p>
  )
}

function PausedButton({ added, body }: { added: number; body: BodyRef }) {
  return (
    <button
      class="pill journal-more"
      onClick={() => {
        pausedAt.value = null
        scrollToEnd(body)
      }}
    >
      <Icon name="pause" /> Paused{added > 0 ? ` · ${formatCount(added)} new` : ''} · go to the latest
    </button>
  )
}

/** Explains which entries are missing. */
function OlderEntries() {
  const older = formatCount(olderEntries())
  return (
    <p class="forgotten">
      {counts.droppedEntries > 0 ? (
        <>{older} older requests are no longer on this page; the server may still have them.</>
      ) : (
        <>
          The journal no longer has requests 1 to {older}. Raise <code>limits.journalEntries</code> to retain
          more.
        </>
      )}
    </p>
  )
}

const followsEnd = (): boolean => connection.peek() !== 'report' && pausedAt.peek() === null

function scrollToEnd({ current }: BodyRef): void {
  if (current) current.scrollTop = current.scrollHeight
}

/** Follows the end of the list until the user scrolls up. */
function noteScroll(body: HTMLDivElement, count: number): void {
  const { scrollTop, clientHeight, scrollHeight } = body
  if (scrollTop + clientHeight >= scrollHeight - 4) pausedAt.value = null
  else if (pausedAt.value === null && scrollTop < scrolled.value.top) pausedAt.value = count
  scrolled.value = { top: scrollTop, height: clientHeight }
}

function moveInList(key: string, list: readonly Entry[], body: BodyRef): boolean {
  if (key === 'End') {
    pausedAt.value = null
    scrollToEnd(body)
    return true
  }
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return false
  const index = list.findIndex(({ number }) => number === chosen.value.entry)
  const wanted = index < 0 ? list.length - 1 : index + (key === 'ArrowDown' ? 1 : -1)
  const next = list[Math.min(Math.max(wanted, 0), list.length - 1)]
  if (!next) return true
  choose(laneById.get(next.task ?? `#${next.number}`), next)
  pausedAt.value ??= list.length
  return true
}

/** Scrolls a row into view, with an additional row around it. */
function reveal(index: number, { current }: BodyRef): void {
  if (index < 0 || !current) return
  const y = index * rowHeight
  const { scrollTop, clientHeight } = current
  if (y < scrollTop + rowHeight) current.scrollTop = y - rowHeight
  else if (y > scrollTop + clientHeight - 2 * rowHeight) current.scrollTop = y - clientHeight + 2 * rowHeight
}
