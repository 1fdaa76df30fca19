// The part of the run and the lanes that the axis shows.
import { computed, signal } from '@preact/signals'
import { findFolds, toInstant, toPlace, type Fold } from '../data/folds.ts'
import { hasFailed, nestLanes, type Lane } from '../data/lanes.ts'
import { changed, counts, entries, lanes, now, origin } from '../data/store.ts'

/** The visible part, in places. `fit` fits the visible lanes, `live` follows now, and `free` was set by hand. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly follows: 'fit' | 'live' | 'free'
}
export const range = signal<Range>({ from: 0, to: 60_000, follows: 'fit' })
export const isFolding = signal(false)
/** Thin rows, for the shape of thousands of lanes. */
export const isCompact = signal(false)
export const laneQuery = signal('')
export type LaneFilter = 'all' | 'video' | 'image' | 'text' | 'open' | 'failed' | 'faults'
export const laneFilter = signal<LaneFilter>('all')
/** The visible part of the list of lanes, in pixels. */
export const scrolled = signal({ top: 0, height: 400 })

export const rowHeight = (): number => (isCompact.value ? 8 : 26)
export const barHeight = (): number => (isCompact.value ? 5 : 12)

let folds: readonly Fold[] = []
export const currentFolds = (): readonly Fold[] => folds
export const placeOf = (at: number): number => toPlace(folds, at)
export const instantAt = (place: number): number => toInstant(folds, place)

/** Finds the periods to fold. It is fast enough for ten thousand lanes twice a second. */
export function updateFolds(): void {
  if (!isFolding.peek()) return void (folds = [])
  const until = now()
  const instants = entries.map(({ at }) => at)
  for (const lane of lanes) for (const { from } of lane.states) instants.push(from)
  folds = findFolds(instants, origin.at, until)
}

/** The lanes that pass the filter, in the order of their rows. */
export const visibleLanes = computed<readonly Lane[]>(() => {
  void changed.value
  const ordered = counts.hasNested ? nestLanes(lanes) : lanes.slice()
  const filter = laneFilter.value
  const query = laneQuery.value.trim().toLowerCase()
  if (filter === 'all' && query === '') return ordered
  const at = now()
  return ordered.filter(
    (lane) =>
      passesFilter(lane, filter, at) &&
      (query === '' || lane.label.toLowerCase().includes(query) || lane.id.toLowerCase().includes(query)),
  )
})

function passesFilter(lane: Lane, filter: LaneFilter, at: number): boolean {
  if (filter === 'all') return true
  if (filter === 'open') return lane.end > at
  if (filter === 'failed') return hasFailed(lane, at)
  if (filter === 'faults') return lane.faults > 0
  return lane.medium === filter
}

const minSpanMs = 200
const maxSpanMs = 400 * 86_400_000

/** Zooms by a factor, around a place. */
export function zoom(factor: number, around?: number): void {
  const { from, to } = range.value
  const center = around ?? (from + to) / 2
  const span = Math.min(Math.max((to - from) * factor, minSpanMs), maxSpanMs)
  const left = (center - from) / (to - from)
  range.value = { follows: 'free', from: center - span * left, to: center + span * (1 - left) }
}

/** Pans by a fraction of the visible part. */
export function pan(fraction: number): void {
  const { from, to } = range.value
  const byMs = (to - from) * fraction
  range.value = { follows: 'free', from: from + byMs, to: to + byMs }
}

export function showAll(): void {
  const { first, span } = wholeRun()
  range.value = { follows: 'free', from: first - span * 0.02, to: first + span * 1.04 }
}

export function followFit(): void {
  range.value = { ...range.value, follows: 'fit' }
}

export function followNow(): void {
  const { from, to } = range.value
  range.value = { from, to: Math.min(to, from + 120_000), follows: 'live' }
}

/** The whole run in places, including the known future. */
export function wholeRun(): { first: number; span: number } {
  const first = placeOf(origin.at)
  let last = now()
  for (const { end } of lanes) if (end !== Infinity && end > last) last = end
  return { first, span: Math.max(placeOf(last) - first, 10_000) }
}

const isCalm = typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches
let easedAt = 0

/** Moves the range with now, or towards the fitting range. Called before each frame. */
export function updateRange(): void {
  const { follows, from, to } = range.peek()
  if (follows === 'free') return
  if (follows === 'live') {
    const place = placeOf(now())
    const span = to - from
    range.value = { follows, from: place - span * 0.82, to: place + span * 0.18 }
    return
  }
  const list = visibleLanes.peek()
  const { top, height } = scrolled.peek()
  const row = rowHeight()
  const inView =
    list.length * row <= height
      ? list
      : list.slice(Math.max(0, Math.floor(top / row)), Math.ceil((top + height) / row))
  const target = fitLanes(inView, {
    now: now(),
    origin: origin.at,
    hasFirst: inView.length === list.length,
    hasLast: inView.at(-1) === list.at(-1),
  })
  const span = target.to - target.from
  const distance = Math.abs(target.from - from) + Math.abs(target.to - to)
  const isJump = isCalm || distance > 6 * span || distance < span / 400 || from === 0
  const time = performance.now()
  const part = isJump ? 1 : 1 - Math.exp(-Math.min(time - easedAt, 100) / 70)
  easedAt = time
  const next = { follows, from: from + (target.from - from) * part, to: to + (target.to - to) * part }
  if (next.from !== from || next.to !== to) range.value = next
}

/**
 * The range of places that fits lanes: their whole past, and their future up to half of it.
 * @param situation `hasFirst` and `hasLast` are whether these lanes include the first and the last of all.
 */
export function fitLanes(
  inView: readonly Lane[],
  situation: { now: number; origin: number; hasFirst: boolean; hasLast: boolean },
): { from: number; to: number } {
  const { now: present, hasFirst, hasLast } = situation
  let first = inView[0]?.start ?? situation.origin
  let last = first + 8_000
  for (const { start, end } of inView) {
    first = Math.min(first, start)
    last = Math.max(last, end === Infinity ? present : end)
  }
  if (hasFirst) first = Math.min(first, situation.origin)
  if (hasLast) last = Math.max(last, present)
  const start = placeOf(first)
  const maxEnd = placeOf(present) + Math.max((placeOf(present) - start) / 2, 30_000)
  const end = last > present ? Math.min(placeOf(last), maxEnd) : placeOf(last)
  const span = Math.max(end - start, 10_000)
  return { from: start - span * 0.02, to: start + span * 1.12 }
}
