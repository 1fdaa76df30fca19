// All that the page knows: plain arrays and maps, with one signal that something has changed. Nothing here uses the network,
// so a report can fill it from a file.
import { batch, computed, signal } from '@preact/signals'
import {
  hasFailed,
  isEnd,
  isFault,
  isRefused,
  isText,
  laneOfTask,
  laneOfText,
  lastState,
  type Lane,
} from './lanes.ts'
import type {
  Batch,
  ClockStatus,
  Details,
  Entry,
  Hello,
  InvariantState,
  KeyUsage,
  ListedRule,
  Task,
} from './types.ts'

/** Older ones are dropped from the page; the server still has them. */
export const maxEntries = 50_000
export const maxLanes = 10_000

/** Grows with each change, at most once a frame. */
export const changed = signal(0)
/** Like `changed`, four times a second: for sums over everything. */
export const settled = signal(0)

export type Connection = 'connecting' | 'live' | 'polling' | 'lost' | 'report'
export const connection = signal<Connection>('connecting')
/** Whether the first snapshot is complete. */
export const isLoaded = signal(false)
export const namespace = signal('default')
export const hello = signal<Hello | null>(null)
export const clock = signal<ClockStatus | null>(null)
export const rules = signal<readonly ListedRule[]>([])
export const usage = signal<readonly KeyUsage[]>([])
export const verdict = signal<readonly InvariantState[]>([])

/** Requests that prove a finding, with its message; in a report. */
export const markedEntries = signal<ReadonlyMap<number, string>>(new Map())

/** Oldest first. */
export const lanes: Lane[] = []
export const entries: Entry[] = []
export const laneById = new Map<string, Lane>()
export const entryByNumber = new Map<number, Entry>()
export const counts = { faults: 0, refused: 0, droppedLanes: 0, droppedEntries: 0, hasNested: false }
/** The instant from which times are counted. */
export const origin = { at: 0 }

/** What the inspector shows besides the entry, and the media of tasks: over the network, or from a report. */
export interface DetailSource {
  loadDetails(number: number): Promise<Details>
  /** The URL of what a task made; undefined if there is none to show. */
  mediaUrl(task: string, what: 'media' | 'poster'): string | undefined
}
export const source: DetailSource = {
  loadDetails: () => Promise.resolve({ reasons: [] }),
  mediaUrl: () => undefined,
}

let received: { clock: ClockStatus; at: number } | undefined
let lostAt = 0
connection.subscribe((state) => {
  if (state === 'lost') lostAt = performance.now()
})

/** The virtual instant now. Between two messages it moves as the clock does; without a server it stops. */
export function now(): number {
  if (!received) return 0
  const { mode, rate, now: at } = received.clock
  const msPerMs = mode === 'scaled' ? rate : mode === 'real' ? 1 : 0
  const until = connection.peek() === 'lost' ? lostAt : performance.now()
  return at + Math.max(0, until - received.at) * msPerMs
}

/** Whether time passes by itself. */
export const isMoving = computed(() => clock.value?.mode === 'scaled' || clock.value?.mode === 'real')

/** Forgets everything, such as when a server has restarted or another namespace is chosen. */
export function resetStore(): void {
  clearTasks()
  clearEntries()
  origin.at = 0
  batch(() => {
    rules.value = []
    usage.value = []
    verdict.value = []
    isLoaded.value = false
    changed.value++
  })
}

/** Takes in a message. */
export function applyBatch(message: Batch): void {
  batch(() => {
    if (message.cleared === 'tasks') clearTasks()
    if (message.cleared === 'journal') clearEntries()
    for (const task of message.tasks ?? []) putLane(laneOfTask(task))
    for (const entry of message.entries ?? []) putEntry(entry)
    for (const id of message.gone ?? []) removeLane(id)
    if (message.rules) rules.value = message.rules
    if (message.usage) usage.value = message.usage
    if (message.verdict) verdict.value = message.verdict
    if (message.clock) {
      received = { clock: message.clock, at: performance.now() }
      clock.value = message.clock
      if (origin.at === 0) origin.at = message.clock.now
    }
    dropOldest()
    announceChange()
  })
}

/** The timeline of a task, as a call to the control API returned it. */
export function applyTask(task: Task): void {
  applyBatch({ tasks: [task] })
}

let isAnnounced = false
export function announceChange(): void {
  if (isAnnounced) return
  isAnnounced = true
  const announce = (): void => {
    isAnnounced = false
    changed.value++
    settleSoon()
  }
  if (document.hidden) setTimeout(announce, 200)
  else requestAnimationFrame(announce)
}

let isSettling = false
function settleSoon(): void {
  if (isSettling) return
  isSettling = true
  setTimeout(() => {
    isSettling = false
    settled.value = changed.peek()
  }, 250)
}

function putLane(lane: Lane): void {
  const known = laneById.get(lane.id)
  if (known) {
    const { entries: ownEntries, faults, parent, depth } = known
    Object.assign(known, lane, lane.medium === 'text' ? {} : { entries: ownEntries, faults })
    if (parent !== undefined) Object.assign(known, { parent, depth })
    return
  }
  laneById.set(lane.id, lane)
  if (lane.parent !== undefined) counts.hasNested = true
  // Nearly always the latest.
  let index = lanes.length
  while (index > 0 && lanes[index - 1]!.start > lane.start) index--
  lanes.splice(index, 0, lane)
  if (origin.at === 0 || lane.start < origin.at || (lanes.length === 1 && entries.length === 0))
    origin.at = lane.start
}

function removeLane(id: string): void {
  const lane = laneById.get(id)
  // One of the older ones, which are only counted.
  if (!lane) return void counts.droppedLanes--
  laneById.delete(id)
  lanes.splice(lanes.indexOf(lane), 1)
}

function putEntry(entry: Entry): void {
  const known = entryByNumber.get(entry.number)
  if (known) {
    const wasFault = isFault(known)
    const wasRefused = isRefused(known)
    Object.assign(known, entry)
    countEntry(known, wasFault, wasRefused)
    return
  }
  if (entries.length === 0 && (lanes.length === 0 || entry.at < origin.at)) origin.at = entry.at
  entryByNumber.set(entry.number, entry)
  entries.push(entry)
  const lane = entry.task === null ? undefined : laneById.get(entry.task)
  lane?.entries.push(entry)
  if (lane && entry.parent !== null && lane.entries.length === 1 && entry.parent !== lane.id) {
    lane.parent = entry.parent
    counts.hasNested = true
  }
  countEntry(entry, false, false)
}

/** Counts an entry, or what has changed in it since it was counted. */
function countEntry(entry: Entry, wasFault: boolean, wasRefused: boolean): void {
  if (isText(entry)) putLane(laneOfText(entry))
  if (isRefused(entry) && !wasRefused) counts.refused++
  if (!isFault(entry) || wasFault) return
  counts.faults++
  const lane = entry.task === null ? undefined : laneById.get(entry.task)
  if (lane) lane.faults++
}

/** Drops a tenth more than it must, so that arrays aren't moved for each entry. */
function dropOldest(): void {
  if (entries.length > maxEntries) {
    for (const { number } of entries.splice(0, entries.length - maxEntries * 0.9))
      entryByNumber.delete(number)
    counts.droppedEntries = (entries[0]?.number ?? 1) - 1
  }
  if (lanes.length > maxLanes) {
    const dropped = lanes.splice(0, lanes.length - maxLanes * 0.9)
    for (const { id } of dropped) laneById.delete(id)
    counts.droppedLanes += dropped.length
  }
}

function clearTasks(): void {
  lanes.length = 0
  laneById.clear()
  Object.assign(counts, { droppedLanes: 0, hasNested: false })
}

function clearEntries(): void {
  entries.length = 0
  entryByNumber.clear()
  for (const lane of lanes) Object.assign(lane, { entries: [], faults: 0 })
  for (let index = lanes.length - 1; index >= 0; index--)
    if (lanes[index]!.medium === 'text') removeLane(lanes[index]!.id)
  Object.assign(counts, { faults: 0, refused: 0, droppedEntries: 0 })
}

/** The number of requests before the first one here: dropped by the page, or no longer in the journal. */
export function olderEntries(): number {
  return Math.max(0, (entries[0]?.number ?? 1) - 1)
}

/** The number of tasks before the first lane. */
export function olderLanes(): number {
  return Math.max(0, counts.droppedLanes + (hello.value?.olderTasks ?? 0))
}

let labelled = { at: NaN, label: '' }

/** The next instant at which something is known to happen, and what. The server says when. */
export function nextEvent(): { at: number; label: string } | undefined {
  const { nextEvent: at = null, nextWaiter = null, waiting = [] } = clock.value ?? {}
  if (at === null || at <= now()) return undefined
  if (at === nextWaiter) return { at, label: waiting[0] ?? 'a waiting client' }
  if (labelled.at === at) return labelled
  for (const { end, medium, label, states } of lanes) {
    if (end < at || medium === 'text') continue
    const state = states.find(({ from }) => from === at)
    if (state) return (labelled = { at, label: `${state.status} · ${label}` })
  }
  return { at, label: 'a task' }
}

/** Tasks that have not ended. */
export function countOpen(): number {
  const at = now()
  return lanes.filter((lane) => lane.task && lane.end > at).length
}

/** Whether what a lane made can be seen. */
export function hasMedia(lane: Lane): boolean {
  const { phase } = lastState(lane)
  return lane.task !== undefined && isEnd(phase) && lane.end <= now() && !hasFailed(lane, now())
}
