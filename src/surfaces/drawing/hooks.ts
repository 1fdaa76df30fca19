import type { Draws } from '../../engine/draws.ts'
import type { EventLog, SimulatorEvent } from '../../engine/events.ts'
import { hostTimers } from '../../engine/host-timers.ts'
import type { Namespaces } from '../../engine/namespace.ts'
import type { Task, TaskStore } from '../../engine/tasks.ts'
import { nextChange } from '../../engine/timeline.ts'
import type { GatewayNamespace } from '../../gateway/parts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { drawingRecord } from './record.ts'
import { drawingRequest, isDrawing } from './shows.ts'

/** A receiver that takes longer is given up; nobody waits for it. */
const patienceMs = 5_000

export interface HookParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly draws: Draws
  readonly post?: typeof fetch
}

/** One task whose changes are reported. */
interface Watch {
  /** Status and progress as they were last reported. */
  told: string
  /** Ends the wait for the next change. */
  wake: AbortController
  /** Reports go out one after the other. */
  sent: Promise<void>
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
  #closed = false

  constructor(parts: HookParts, events: EventLog) {
    this.#parts = parts
    events.subscribe((event) => this.#hear(event))
  }

  close(): void {
    this.#closed = true
    for (const { wake } of this.#watched.values()) wake.abort()
    this.#watched.clear()
  }

  #hear(event: SimulatorEvent): void {
    if (event.type === 'task.submitted' && event.task.request['hook'] !== undefined) {
      this.#watched.set(event.task.id, { told: '', wake: new AbortController(), sent: Promise.resolve() })
      void this.#follow(event.task.id)
    }
    if (event.type === 'task.amended') this.#watched.get(event.id)?.wake.abort()
    if (event.type === 'task.removed') this.#forget(event.id)
    if (event.type === 'tasks.cleared') for (const id of this.#watched.keys()) this.#dropIfGone(id)
  }

  async #follow(id: string): Promise<void> {
    for (;;) {
      const watch = this.#watched.get(id)
      const task = this.#parts.tasks.find(id)
      if (this.#closed || !watch || !task || !isDrawing(task)) return this.#forget(id)
      const { clock } = this.#parts.namespaces.get(task.record.namespace)
      const now = clock.now()
      this.#report(task, watch, now)
      if (this.#parts.tasks.view(task, now).final) return this.#forget(id)
      const next = nextChange(task.timeline, task.lifecycle, now)
      watch.wake = new AbortController()
      // Who changes the task, or ends its namespace, ends the wait.
      const restMs = next === null ? Infinity : next - now
      await clock.wait(restMs, watch.wake.signal, { kind: 'work' }).catch(() => {})
    }
  }

  #report(task: Task, watch: Watch, now: number): void {
    const { tasks, draws } = this.#parts
    const view = tasks.view(task, now)
    const told = `${view.state} ${view.progress}`
    if (told === watch.told) return
    watch.told = told
    const origin = drawingRequest(task).hookOrigin ?? ''
    const record = drawingRecord(task, { view, now, origin, draws })
    watch.sent = watch.sent.then(() => this.#send(task, now, view.state, record))
  }

  async #send(task: Task, at: number, shown: string, record: object): Promise<void> {
    const address = drawingRequest(task).hook!
    const post = this.#parts.post ?? fetch
    const body = JSON.stringify(record)
    let status = 0
    try {
      const response = await post(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        // A receiver must not send reports on to addresses that were never allowed.
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
      })
      status = response.status
      await response.body?.cancel()
    } catch {
      status = 0
    }
    if (!this.#closed) this.#note(task, { at, shown, address, status, bytes: body.length })
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

  #dropIfGone(id: string): void {
    if (!this.#parts.tasks.find(id)) this.#forget(id)
  }

  #forget(id: string): void {
    this.#watched.get(id)?.wake.abort()
    this.#watched.delete(id)
  }
}
