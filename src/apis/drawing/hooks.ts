import type { SimulatorEvent } from '../../engine/tasks/events.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { nextChange, viewAt } from '../../engine/tasks/timeline.ts'
import { Waiters } from '../../engine/clock/waiters.ts'
import type { Core } from '../../gateway/core.ts'
import { createEntry, type JournalEntry } from '../../gateway/journal.ts'
import { Semaphore } from '../../media/semaphore.ts'
import { drawingRecord } from './record.ts'
import { drawingRequest, isDrawing } from './result.ts'

/**
 * `atOnce`: how many reports are sent at the same time. `pending`: how many are sent or waiting. Further ones are dropped.
 */
export const reportCaps = { atOnce: 100, pending: 10_000 }

/** What the journal calls a report. */
export const reportName = 'mj.notify'

/** How long a receiver may take. */
export const reportTimeoutMs = 5_000

/** Marks reports as cross-site requests, so that control APIs on this machine refuse them, because a client chose the URL. */
const crossSite = { 'sec-fetch-site': 'cross-site' }

/** The part of the core that reports use. */
type HookCore = Pick<Core, 'namespaces' | 'tasks' | 'open' | 'draws' | 'events'> &
  Partial<Pick<Core, 'links'>>

/** One task whose changes are reported. */
interface WatchedHook {
  readonly record: TaskRecord
  /** The instant up to which its changes were reported. */
  until: number
  /** The status and progress of the last report. */
  lastReport: string
  /** Ends the wait for the next change. */
  wake: AbortController
  /** Reports of one task are sent one after the other. */
  sent: Promise<void>
}

/** The watched tasks of a namespace. */
interface NamespaceWatches {
  readonly ids: Set<string>
  /** Whether they must not move time in `auto`, because a dialog waits for a client; undefined if they differ. */
  isHeld: boolean | undefined
  /** The waiters in that case. */
  readonly held: Waiters
}

/**
 * Reports each change of a task's status or progress by a POST to the URL that its client named, in the order of the
 * virtual clock. Reports never delay the task. The journal contains all of them, including failed ones.
 *
 * @assumed §6 callbacks are undocumented; wire §7.9.
 */
export class Hooks {
  readonly #core: HookCore
  readonly #post: typeof fetch
  readonly #watched = new Map<string, WatchedHook>()
  readonly #namespaces = new Map<string, NamespaceWatches>()
  readonly #closing = new AbortController()
  readonly #caps: typeof reportCaps
  readonly #slots: Semaphore
  #pending = 0

  constructor(
    core: HookCore,
    { post, caps = reportCaps }: { post?: typeof fetch; caps?: typeof reportCaps } = {},
  ) {
    this.#core = core
    // Looked up for each report, because interceptors replace the global fetch.
    this.#post = post ?? ((...sent) => fetch(...sent))
    this.#caps = caps
    this.#slots = new Semaphore(caps.atOnce)
    core.events.subscribe((event) => this.#onEvent(event))
  }

  /** Aborts reports in progress, and sends no more. */
  close(): void {
    this.#closing.abort()
    for (const { wake } of this.#watched.values()) wake.abort()
    this.#watched.clear()
  }

  #onEvent(event: SimulatorEvent): void {
    if (event.type === 'task.submitted' && event.task.request['hook'] !== undefined) {
      this.#watch(event.task, event.task.submittedAt, '')
    }
    if (event.type === 'task.removed') this.#forget(event.id)
    if (event.type === 'task.amended') this.#watched.get(event.id)?.wake.abort()
    if (event.type === 'task.amended' || event.type === 'clock.moved') this.#wake(event.namespace)
    if (event.type === 'tasks.cleared') {
      for (const id of this.#namespaces.get(event.namespace)?.ids ?? []) this.#forget(id)
    }
  }

  /** Wakes tasks with a change to report. All others wait on the clock. */
  #wake(namespace: string): void {
    const watches = this.#namespaces.get(namespace)
    if (!watches) return
    const { clock } = this.#core.namespaces.get(namespace)
    const now = clock.now()
    const holds = this.#mustHold(clock, namespace)
    if (watches.isHeld !== holds) for (const id of watches.ids) this.#watched.get(id)!.wake.abort()
    else for (let due = watches.held.takeDue(now); due; due = watches.held.takeDue(now)) due.wake()
    watches.isHeld = holds
  }

  /**
   * Whether reports must not wait on the clock: in `auto`, waiting moves time, but a client needs time to answer a dialog.
   */
  #mustHold(clock: Clock, namespace: string): boolean {
    return clock.mode === 'auto' && this.#core.open.isClientExpected(namespace, clock.now())
  }

  /** Continues the reports of a restored task, from the instant at which it was saved. */
  resume(task: Task, savedAt: number): void {
    if (!isDrawing(task)) return
    const { record, timeline, lifecycle } = task
    if (record.request['hook'] === undefined) return
    const { state, progress, final } = viewAt(timeline, lifecycle, savedAt)
    if (final) return
    this.#watch(record, savedAt, `${state} ${progress}`)
  }

  #watch(record: TaskRecord, until: number, lastReport: string): void {
    const { id, namespace } = record
    const wake = new AbortController()
    this.#watched.set(id, { record, until, lastReport, wake, sent: Promise.resolve() })
    let watches = this.#namespaces.get(namespace)
    if (!watches) {
      this.#namespaces.set(namespace, (watches = { ids: new Set(), isHeld: false, held: new Waiters() }))
    }
    watches.ids.add(id)
    void this.#follow(id, watches)
  }

  async #follow(id: string, watches: NamespaceWatches): Promise<void> {
    for (;;) {
      const watch = this.#watched.get(id)
      const task = this.#core.tasks.find(id)
      if (this.#closing.signal.aborted || !watch || !task) return this.#forget(id)
      const { clock } = this.#core.namespaces.get(task.record.namespace)
      watch.wake = new AbortController()
      // Time may pass while this runs.
      const now = clock.now()
      const next = this.#reportUntil(task, watch, now)
      if (this.#core.tasks.view(task, now).final) return this.#forget(id)
      const { wake } = watch
      const holds = this.#mustHold(clock, task.record.namespace)
      if (watches.isHeld !== holds) watches.isHeld = undefined
      const waiting = { kind: 'work' } as const
      const due = next ?? Infinity
      const listed = holds && watches.held.add({ due, rank: '', waiting, wake: () => wake.abort() })
      // The wait ends when the task changes, the clock moves or the namespace ends.
      await clock.wait(holds ? Infinity : due - now, wake.signal, waiting).catch(() => {})
      if (listed) listed.remove()
    }
  }

  /** Reports every change up to an instant. @returns the instant of the next change. */
  #reportUntil(task: Task, watch: WatchedHook, now: number): number | null {
    this.#report(task, watch, watch.until)
    for (;;) {
      const next = nextChange(task.timeline, task.lifecycle, watch.until)
      if (next === null || next > now) break
      watch.until = next
      this.#report(task, watch, next)
    }
    watch.until = now
    this.#report(task, watch, now)
    return nextChange(task.timeline, task.lifecycle, now)
  }

  #report(task: Task, watch: WatchedHook, at: number): void {
    const { tasks, draws, links } = this.#core
    const view = tasks.view(task, at)
    const report = `${view.state} ${view.progress}`
    if (report === watch.lastReport) return
    watch.lastReport = report
    const origin = drawingRequest(task).hookOrigin ?? ''
    const record = drawingRecord(task, { view, now: at, origin, draws, links })
    if (this.#pending >= this.#caps.pending) {
      const url = drawingRequest(task).hook!
      this.#record(task, { at, state: view.state, url, status: 0, bytes: 0 })
      return
    }
    this.#pending++
    watch.sent = watch.sent
      .then(() => this.#slots.use(() => this.#send(task, at, view.state, record)))
      .finally(() => this.#pending--)
  }

  async #send(task: Task, at: number, state: string, record: object): Promise<void> {
    if (!this.#isWanted(task)) return
    const url = drawingRequest(task).hook!
    const body = JSON.stringify(record)
    const { clock } = this.#core.namespaces.get(task.record.namespace)
    // Reports to several receivers at one instant would race each other.
    if (clock.auto.agents.size > 0) await clock.agreement.takeTurn(() => `${task.record.id} ${state}`)
    const delivered = clock.auto.agents.whileDelivering()
    let status = 0
    try {
      const response = await this.#post(url, {
        method: 'POST',
        // On an idle connection, the keep-alive limit of a receiver, which is real time, could lose the report.
        headers: { 'content-type': 'application/json', connection: 'close', ...crossSite },
        body,
        // A redirect could lead to a forbidden host.
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(reportTimeoutMs), this.#closing.signal]),
      })
      status = response.status
      await response.body?.cancel()
    } catch {
      status = 0
    } finally {
      delivered()
      clock.agreement.change()
    }
    if (this.#isWanted(task)) this.#record(task, { at, state, url, status, bytes: body.length })
  }

  /** Whether the task still exists. */
  #isWanted({ id, serial }: Task): boolean {
    return !this.#closing.signal.aborted && this.#core.tasks.find(id)?.serial === serial
  }

  #record(
    { record, lifecycle }: Task,
    report: { at: number; state: string; url: string; status: number; bytes: number },
  ): void {
    const { at, state, url, status, bytes } = report
    if (!this.#core.namespaces.has(record.namespace)) return
    const { journal } = this.#core.namespaces.get(record.namespace)
    const entry = createEntry({
      number: journal.nextNumber,
      at,
      transport: 'hook',
      operation: reportName,
      role: null,
      kind: record.lifecycle,
      method: 'POST',
      path: url,
      namespace: record.namespace,
      key: '',
      keyHash: '',
      requestId: '',
      model: null,
      prompt: null,
      identity: url,
      authorized: true,
      assumed: false,
      timing: 'wall',
    })
    const settled: Partial<JournalEntry> = {
      task: record.id,
      status,
      reportedStatus: state,
      outcome: status >= 200 && status < 300 ? 'completed' : 'failed',
      bytes,
      final: state === lifecycle.roles.success || state === lifecycle.roles.failure,
      content: 'complete',
      settledAt: at,
      settledBefore: journal.nextNumber + 1,
    }
    journal.append(Object.assign(entry, settled))
  }

  #forget(id: string): void {
    const watch = this.#watched.get(id)
    if (!watch) return
    watch.wake.abort()
    this.#watched.delete(id)
    const { namespace } = watch.record
    const watches = this.#namespaces.get(namespace)!
    watches.ids.delete(id)
    if (watches.ids.size === 0) this.#namespaces.delete(namespace)
  }
}
