import type { Draws } from '../../../engine/random/draws.ts'
import type { EventLog, SimulatorEvent } from '../../../engine/tasks/events.ts'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import type { Namespaces } from '../../../engine/namespace.ts'
import type { TaskRecord } from '../../../engine/tasks/plan.ts'
import type { Clock } from '../../../engine/clock/clock.ts'
import type { OpenTasks } from '../../../engine/tasks/open-tasks.ts'
import type { Task, TaskStore } from '../../../engine/tasks/tasks.ts'
import { nextChange, viewAt } from '../../../engine/tasks/timeline.ts'
import { Waiters } from '../../../engine/clock/waiters.ts'
import type { GatewayNamespace } from '../../../gateway/exchange.ts'
import type { JournalEntry } from '../../../gateway/journal.ts'
import { Semaphore } from '../../../media/semaphore.ts'
import { drawingRecord } from '../record.ts'
import { drawingRequest, isDrawing } from '../shows.ts'

/** How many reports are sent at a time; others wait. */
export const maxReportsAtOnce = 100
/** How many may wait; more are given up. */
export const maxWaitingReports = 10_000

/** A receiver that takes longer is given up; nobody waits for it. */
export const patienceMs = 5_000

/**
 * Says that the report isn't sent by whoever owns what listens at that address: a client named it. So a control plane
 * on this machine, ours among them, can tell it from a call of its user's.
 */
const fromElsewhere = { 'sec-fetch-site': 'cross-site' }

export interface HookParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly open: OpenTasks
  readonly draws: Draws
  readonly post?: typeof fetch
}

/** One task whose changes are reported. */
interface Watch {
  readonly record: TaskRecord
  /** The instant up to which its changes were reported. */
  until: number
  /** Status and progress as they were last reported. */
  told: string
  /** Ends the wait for the next change. */
  wake: AbortController
  /** Reports go out one after the other. */
  sent: Promise<void>
}

/** The watched tasks of a namespace. */
interface Line {
  readonly ids: Set<string>
  /** Whether they let time stand, in `auto`, since a client is asked for its word; undefined: some do, and some don't. */
  isHeld: boolean | undefined
  /** What they wait for then, without moving the clock there. */
  readonly held: Waiters
}

/**
 * Reports each change of a task's status or progress to the address that its client named: one POST for each, in the
 * order of the virtual clock. Reports never hold up the task; one that fails is in the journal, as those that don't.
 *
 * @assumed §6 callbacks are not shown; wire §7.9.
 */
export class Hooks {
  readonly #parts: HookParts
  readonly #watched = new Map<string, Watch>()
  readonly #lines = new Map<string, Line>()
  readonly #closing = new AbortController()
  readonly #slots = new Semaphore(maxReportsAtOnce)
  #waiting = 0

  constructor(parts: HookParts, events: EventLog) {
    this.#parts = parts
    events.subscribe((event) => this.#hear(event))
  }

  /** Ends reports that are under way and sends no more. */
  close(): void {
    this.#closing.abort()
    for (const { wake } of this.#watched.values()) wake.abort()
    this.#watched.clear()
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'task.submitted' && event.task.request['hook'] !== undefined) {
      this.#watch(event.task, event.task.submittedAt, '')
    }
    if (event.type === 'task.removed') this.#forget(event.id)
    if (event.type === 'task.amended') this.#watched.get(event.id)?.wake.abort()
    if (event.type === 'task.amended' || event.type === 'clock.moved') this.#letGo(event.namespace)
    if (event.type === 'tasks.cleared') {
      for (const id of this.#lines.get(event.namespace)?.ids ?? []) this.#forget(id)
    }
  }

  /** Wakes who has something to say by now. All others wait on the clock, and need nobody to wake them. */
  #letGo(namespace: string): void {
    const line = this.#lines.get(namespace)
    if (!line) return
    const { clock } = this.#parts.namespaces.get(namespace)
    const now = clock.now()
    const holds = this.#mustHold(clock, namespace)
    if (line.isHeld !== holds) for (const id of line.ids) this.#watched.get(id)!.wake.abort()
    else for (let due = line.held.takeDue(now); due; due = line.held.takeDue(now)) due.wake()
    line.isHeld = holds
  }

  /** In `auto` waiting moves time, and a client that is asked for its word needs some. */
  #mustHold(clock: Clock, namespace: string): boolean {
    return clock.mode === 'auto' && this.#parts.open.isClientExpected(namespace, clock.now())
  }

  /** Goes on reporting a task that was kept, from the instant at which time stood. */
  resume(task: Task, stoodAt: number): void {
    // Only drawings are reported; of all others nothing has to be unpacked.
    if (!isDrawing(task)) return
    const { record, timeline, lifecycle } = task
    if (record.request['hook'] === undefined) return
    const { state, progress, final } = viewAt(timeline, lifecycle, stoodAt)
    if (final) return
    this.#watch(record, stoodAt, `${state} ${progress}`)
  }

  #watch(record: TaskRecord, until: number, told: string): void {
    const { id, namespace } = record
    const wake = new AbortController()
    this.#watched.set(id, { record, until, told, wake, sent: Promise.resolve() })
    let line = this.#lines.get(namespace)
    if (!line) {
      this.#lines.set(namespace, (line = { ids: new Set(), isHeld: false, held: new Waiters() }))
    }
    line.ids.add(id)
    void this.#follow(id, line)
  }

  async #follow(id: string, line: Line): Promise<void> {
    for (;;) {
      const watch = this.#watched.get(id)
      const task = this.#parts.tasks.find(id)
      if (this.#closing.signal.aborted || !watch || !task) return this.#forget(id)
      const { clock } = this.#parts.namespaces.get(task.record.namespace)
      watch.wake = new AbortController()
      // Time may go on while this runs; everything is said of one instant.
      const now = clock.now()
      const next = this.#reportUntil(task, watch, now)
      if (this.#parts.tasks.view(task, now).final) return this.#forget(id)
      const { wake } = watch
      const holds = this.#mustHold(clock, task.record.namespace)
      if (line.isHeld !== holds) line.isHeld = undefined
      const waiting = { kind: 'work' } as const
      const due = next ?? Infinity
      const leave = holds && line.held.add({ due, rank: '', waiting, wake: () => wake.abort() })
      // Who changes the task, moves time where it is held, or ends its namespace, ends the wait.
      await clock.wait(holds ? Infinity : due - now, wake.signal, waiting).catch(() => {})
      if (leave) leave()
    }
  }

  /** Reports every change up to an instant, each as it was then. @returns when the next will be. */
  #reportUntil(task: Task, watch: Watch, now: number): number | null {
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

  #report(task: Task, watch: Watch, at: number): void {
    const { tasks, draws } = this.#parts
    const view = tasks.view(task, at)
    const told = `${view.state} ${view.progress}`
    if (told === watch.told) return
    watch.told = told
    const origin = drawingRequest(task).hookOrigin ?? ''
    const record = drawingRecord(task, { view, now: at, origin, draws })
    if (this.#waiting >= maxWaitingReports) {
      const address = drawingRequest(task).hook!
      this.#note(task, { at, shown: view.state, address, status: 0, bytes: 0 })
      return
    }
    this.#waiting++
    watch.sent = watch.sent
      .then(() => this.#slots.use(() => this.#send(task, at, view.state, record)))
      .finally(() => this.#waiting--)
  }

  async #send(task: Task, at: number, shown: string, record: object): Promise<void> {
    if (!this.#isWanted(task)) return
    const address = drawingRequest(task).hook!
    const post = this.#parts.post ?? fetch
    const body = JSON.stringify(record)
    let status = 0
    try {
      const response = await post(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fromElsewhere },
        body,
        // A receiver must not send reports on to addresses that were never allowed.
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(patienceMs), this.#closing.signal]),
      })
      status = response.status
      await response.body?.cancel()
    } catch {
      status = 0
    }
    if (this.#isWanted(task)) this.#note(task, { at, shown, address, status, bytes: body.length })
  }

  /** Nobody wants to hear of a task that was forgotten meanwhile. */
  #isWanted({ id, serial }: Task): boolean {
    return !this.#closing.signal.aborted && this.#parts.tasks.find(id)?.serial === serial
  }

  #note(
    { record }: Task,
    {
      at,
      shown,
      address,
      status,
      bytes,
    }: { at: number; shown: string; address: string; status: number; bytes: number },
  ): void {
    if (!this.#parts.namespaces.has(record.namespace)) return
    const { journal } = this.#parts.namespaces.get(record.namespace)
    const entry: JournalEntry = {
      number: journal.nextNumber,
      at,
      wallAt: hostTimers.now(),
      door: 'hook',
      operation: 'mj.notify',
      method: 'POST',
      path: address.slice(0, 300),
      namespace: record.namespace,
      key: '',
      keyHash: '',
      requestId: '',
      task: record.id,
      status,
      rules: [],
      delayMs: 0,
      shown,
      model: null,
      prompt: null,
      outcome: status >= 200 && status < 300 ? 'completed' : 'failed',
      bytes,
      identity: address,
      authorized: true,
      parent: null,
      final: false,
      retryAfterMs: null,
      assumed: false,
      timing: 'wall',
      fault: null,
      approximated: false,
      content: 'complete',
      stream: null,
      firstByteAt: null,
      settledAt: at,
      settledBefore: journal.nextNumber + 1,
      reasons: () => [],
    }
    journal.append(entry)
  }

  #forget(id: string): void {
    const watch = this.#watched.get(id)
    if (!watch) return
    watch.wake.abort()
    this.#watched.delete(id)
    const { namespace } = watch.record
    const line = this.#lines.get(namespace)!
    line.ids.delete(id)
    if (line.ids.size === 0) this.#lines.delete(namespace)
  }
}
