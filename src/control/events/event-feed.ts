import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'
import { murmur3 } from '../../engine/random/hash.ts'
import type { SimulatorEvent } from '../../engine/tasks/events.ts'
import type { GatewayNamespace } from '../../gateway/core.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { ClockControl } from '../clock.ts'
import type { ControlCore } from '../core.ts'
import { clockOf } from '../../gateway/core.ts'
import { EventReader } from './event-reader.ts'
import { EventSnapshot } from './event-snapshot.ts'
import type { JournalControl } from '../journal.ts'
import type { RuleControl } from '../rules.ts'
import type { StreamBatch, StreamMessage } from './stream-events.ts'
import type { TaskControl } from '../tasks.ts'

/** How often changes are sent, in milliseconds of the host. */
export const defaultBatchMs = 50
/** The clock is sent in every batch with this multiple, whether it has changed or not. */
const heartbeatEvery = 40
/** Rules, usage and verdict are compared in every batch with this multiple, and may take at most this share of time. */
const slowEvery = 10
const maxSlowShare = 0.05
/** How many batches are stored for readers that come back. */
export const maxBatches = 2_000
const maxRememberedCharacters = 16 * 1024 * 1024
export const maxStreamedTasks = 10_000

const slowNames = ['rules', 'usage', 'verdict'] as const

/** The parts of the control API that a stream repeats. */
export interface StreamSources {
  readonly clock: ClockControl
  readonly tasks: TaskControl
  readonly rules: RuleControl
  readonly journal: JournalControl
  health(): { readonly version: string; readonly seed: string }
}

/**
 * The changes of a namespace, in batches for all its readers. The feed stores recent batches for readers that come back,
 * and ends a while after its last reader has left.
 */
export class EventFeed {
  readonly epoch: string
  readonly #namespaceName: string
  readonly #sources: StreamSources
  readonly #core: ControlCore
  readonly #stopEvents: () => void
  readonly #onUnused: () => void
  readonly #readers = new Set<EventReader>()
  #namespace: GatewayNamespace | undefined
  #stopJournal = (): void => {}
  #batches: { seq: number; message: StreamMessage }[] = []
  #remembered = 0
  #seq = 0
  #ticks = 0
  #slowDueMs = 0
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  #lingerTimer: ReturnType<typeof hostTimers.setTimeout> | undefined
  readonly #lingerMs: number
  readonly #batchMs: number
  #entries = new Set<JournalEntry>()
  #tasks = new Set<string>()
  #gone = new Set<string>()
  #cleared: NonNullable<StreamBatch['cleared']>[] = []
  #isClockChanged = false
  #latest: EventSnapshot | undefined
  /** The next event that readers know; after it, they need the following one. */
  #nextEvent: number | null = null
  #slow: Record<(typeof slowNames)[number], string> = { rules: '', usage: '', verdict: '' }

  /**
   * @param options `lingerMs`: how long it continues after its last reader; `batchMs`: the interval of batches; `onUnused`
   * is called when it has ended.
   */
  constructor(
    namespace: string,
    sources: StreamSources,
    core: ControlCore,
    { lingerMs, batchMs, onUnused }: { lingerMs: number; batchMs: number; onUnused: () => void },
  ) {
    this.#namespaceName = namespace
    this.#sources = sources
    this.#core = core
    this.#lingerMs = lingerMs
    this.#batchMs = batchMs
    this.#onUnused = onUnused
    // Another process, or another feed of this one, must never continue these numbers.
    const [hash = 0] = murmur3(`${namespace} ${hostTimers.now()} ${hostTimers.elapsedMs()}`)
    this.epoch = hash.toString(16).padStart(8, '0')
    this.#stopEvents = core.events.subscribe((event) => this.#hear(event))
    this.#follow()
    this.#tick()
  }

  get readerCount(): number {
    return this.#readers.size
  }

  /** @param lastEventId the id of the reader's last message, to continue after it. */
  read(lastEventId: string): EventReader {
    hostTimers.clearTimeout(this.#lingerTimer)
    this.#flush()
    const reader: EventReader = new EventReader(this.#missed(lastEventId) ?? this.#snapshot(), () => {
      this.#readers.delete(reader)
      if (this.#readers.size > 0) return
      this.#lingerTimer = unref(hostTimers.setTimeout(() => this.close(), this.#lingerMs))
    })
    this.#readers.add(reader)
    return reader
  }

  close(): void {
    hostTimers.clearTimeout(this.#timer)
    this.#stopEvents()
    this.#stopJournal()
    for (const reader of this.#readers) reader.close()
    hostTimers.clearTimeout(this.#lingerTimer)
    this.#onUnused()
  }

  #tick(): void {
    this.#ticks++
    this.#latest = undefined
    const hasReaders = this.#readers.size > 0
    const isPast =
      this.#namespace !== undefined &&
      this.#nextEvent !== null &&
      clockOf(this.#core, this.#namespaceName).now() >= this.#nextEvent
    if (hasReaders && (isPast || this.#ticks % heartbeatEvery === 0)) this.#isClockChanged = true
    this.#flush(hasReaders && hostTimers.elapsedMs() >= this.#slowDueMs)
    this.#timer = unref(hostTimers.setTimeout(() => this.#tick(), this.#batchMs))
  }

  #hear(event: SimulatorEvent): void {
    const namespace = event.type === 'task.submitted' ? event.task.namespace : event.namespace
    if (namespace !== this.#namespaceName) return
    if (event.type === 'task.submitted') this.#tasks.add(event.task.id)
    else if (event.type === 'task.amended') this.#tasks.add(event.id)
    else if (event.type === 'task.removed') this.#gone.add(event.id)
    else if (event.type === 'tasks.cleared') this.#clear('tasks')
    else this.#isClockChanged = true
  }

  #clear(what: NonNullable<StreamBatch['cleared']>): void {
    if (what === 'journal') this.#entries.clear()
    else {
      this.#tasks.clear()
      this.#gone.clear()
    }
    if (!this.#cleared.includes(what)) this.#cleared.push(what)
  }

  /** Follows the present namespace. If it was replaced, such as by a snapshot, every reader starts over. */
  #follow(): void {
    const { namespaces } = this.#core
    const name = this.#namespaceName
    const present = namespaces.has(name) ? namespaces.get(name) : undefined
    if (present === this.#namespace) return
    this.#stopJournal()
    this.#namespace = present
    if (!present) {
      this.#clear('tasks')
      return this.#clear('journal')
    }
    const stops = [
      present.journal.subscribe((entry) => void this.#entries.add(entry)),
      present.journal.onClear(() => this.#clear('journal')),
    ]
    this.#stopJournal = () => stops.forEach((stop) => stop())
    this.#forgetChanges()
    this.#batches = []
    this.#remembered = 0
    // A reader that left before this must not continue after it.
    this.#seq++
    this.#latest = undefined
    this.#slow = this.#readSlow()
    for (const reader of this.#readers) reader.restart(this.#snapshot())
  }

  #forgetChanges(): void {
    this.#entries.clear()
    this.#tasks.clear()
    this.#gone.clear()
    this.#cleared = []
    this.#isClockChanged = false
  }

  /** Sends all changes. */
  #flush(isSlowDue = false): void {
    this.#follow()
    const name = this.#namespaceName
    for (const cleared of this.#cleared.slice(0, -1)) this.#send([`"cleared":"${cleared}"`])
    const parts = this.#cleared.slice(-1).map((cleared) => `"cleared":"${cleared}"`)
    const tasks = [...this.#tasks].filter((id) => this.#core.tasks.find(id)?.record.namespace === name)
    const lists = {
      tasks: tasks.map((id) => this.#sources.tasks.get(name, id)),
      gone: [...this.#gone].filter((id) => !this.#core.tasks.find(id)),
      entries: [...this.#entries],
    }
    for (const [list, items] of Object.entries(lists))
      if (items.length > 0) parts.push(`"${list}":${JSON.stringify(items)}`)
    if (isSlowDue) {
      const slow = this.#readSlow()
      for (const each of slowNames) if (slow[each] !== this.#slow[each]) parts.push(`"${each}":${slow[each]}`)
      this.#slow = slow
    }
    const isDue = parts.length > 0 || this.#isClockChanged
    this.#forgetChanges()
    if (!isDue) return
    if (this.#namespace) parts.push(`"clock":${this.#readClock()}`)
    this.#send(parts)
  }

  #send(parts: readonly string[]): void {
    const seq = ++this.#seq
    this.#latest = undefined
    const message = { event: 'batch', id: `${this.epoch}.${seq}`, json: `{${parts.join(',')}}` } as const
    this.#batches.push({ seq, message })
    this.#remembered += message.json.length
    while (this.#batches.length > maxBatches || this.#remembered > maxRememberedCharacters)
      this.#remembered -= this.#batches.shift()!.message.json.length
    for (const reader of this.#readers) reader.push(message)
  }

  /** The messages after a given one; undefined if they are no longer stored. */
  #missed(lastEventId: string): Iterator<StreamMessage> | undefined {
    const [, epoch, last] = /^([0-9a-f]{8})\.(\d{1,15})$/.exec(lastEventId) ?? []
    const since = Number(last)
    const oldest = this.#batches[0]?.seq ?? this.#seq + 1
    if (epoch !== this.epoch || since > this.#seq || since < oldest - 1) return undefined
    const missed = this.#batches.filter(({ seq }) => seq > since).map(({ message }) => message)
    const json = JSON.stringify({ missed: missed.length })
    return [{ event: 'resumed', json } as const, ...missed].values()
  }

  /** The complete present state. Readers that come at the same time share it. */
  #snapshot(): Iterator<StreamMessage> {
    const { rules, usage, verdict } = this.#slow
    this.#latest ??= this.#takeSnapshot()
    return this.#latest.read({
      event: 'ready',
      id: `${this.epoch}.${this.#seq}`,
      json: `{"clock":${this.#readClock()},"rules":${rules},"usage":${usage},"verdict":${verdict}}`,
    })
  }

  #takeSnapshot(): EventSnapshot {
    const namespace = this.#namespaceName
    const tasks = this.#sources.tasks.each(namespace, { last: maxStreamedTasks })
    const entries = this.#sources.journal.list(namespace)
    const { version, seed } = this.#sources.health()
    const hello = JSON.stringify({
      protocol: 1,
      epoch: this.epoch,
      namespace,
      version,
      seed,
      tasks: tasks.count,
      olderTasks: this.#core.tasks.count(namespace) - tasks.count,
      entries: entries.length,
    })
    const listed = { count: entries.length, at: (index: number) => entries[index] }
    return new EventSnapshot({ event: 'hello', json: hello }, { tasks, entries: listed })
  }

  #readClock(): string {
    const status = this.#sources.clock.status(this.#namespaceName)
    this.#nextEvent = status.nextEvent
    return JSON.stringify(status)
  }

  #readSlow(): Record<(typeof slowNames)[number], string> {
    const name = this.#namespaceName
    const beganMs = hostTimers.elapsedMs()
    const slow = {
      rules: JSON.stringify(this.#sources.rules.list(name)),
      usage: JSON.stringify(this.#sources.tasks.usage(name)),
      verdict: JSON.stringify(this.#core.verdicts.of(name).invariants),
    }
    const endedMs = hostTimers.elapsedMs()
    this.#slowDueMs = endedMs + Math.max(slowEvery * this.#batchMs, (endedMs - beganMs) / maxSlowShare)
    return slow
  }
}
