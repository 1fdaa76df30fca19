import { readRule } from '../scenario/rules/check-rule.ts'
import {
  ClockError,
  type ClockMode,
  type ClockStatus,
  type HoldStatus,
} from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Deadline } from '../engine/clock/deadlines.ts'
import type { Draws } from '../engine/random/draws.ts'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { EventLog } from '../engine/tasks/events.ts'
import type { Namespaces } from '../engine/namespace.ts'
import { requestOf, type Task, type TaskStore } from '../engine/tasks/tasks.ts'
import { reaches } from '../engine/tasks/timeline.ts'
import {
  ControlError,
  unknownHold,
  type AdvanceTarget,
  type Advanced,
  type Control,
  type ExplainedEntry,
  type Health,
  type TaskSummary,
} from '../control/control.ts'
import { checkFilter } from '../control/journal-filter.ts'
import type { KeyUsage } from '../gateway/accounts/account.ts'
import type { Billing } from '../gateway/accounts/billing.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { JournalEntry, JournalFilter } from '../gateway/journal.ts'
import type { MediaSource } from '../media/source.ts'
import type { ListedRule } from '../scenario/rules/rule.ts'
import type { Rule } from '../scenario/vocabulary/types.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { Restored, Snapshot } from '../control/state.ts'
import { restoreInTurns, restoreSnapshot, type RestoreTarget } from './state/restore.ts'
import { snapshotOf, snapshotText } from './state/snapshot.ts'
import type { State } from './state/state.ts'
import { version } from '../version.ts'

/** The simulator as the control plane sees it. */
export class SimulatorControl implements Control {
  readonly #namespaces: Namespaces<GatewayNamespace>
  readonly #tasks: TaskStore
  readonly #events: EventLog
  readonly #media: MediaSource
  readonly #rules: Rules
  readonly #draws: Draws
  readonly #billing: Billing
  readonly #forget: (namespace: string) => void
  readonly #parts: RestoreTarget
  readonly #expireTasks: (namespace: string, now: number) => void

  constructor(parts: {
    namespaces: Namespaces<GatewayNamespace>
    tasks: TaskStore
    events: EventLog
    media: MediaSource
    rules: Rules
    draws: Draws
    billing: Billing
    /** Forgets what was counted in a namespace: rules, money, rates. */
    forget: (namespace: string) => void
    expireTasks: (namespace: string, now: number) => void
    throttles: Throttles
    state: () => State
    /** Whether changes of a task may be reported to an address. */
    mayReport: (address: string) => boolean
  }) {
    this.#parts = { ...parts, clear: (name) => this.clear(name, { tasks: true }) }
    this.#namespaces = parts.namespaces
    this.#tasks = parts.tasks
    this.#events = parts.events
    this.#media = parts.media
    this.#rules = parts.rules
    this.#draws = parts.draws
    this.#billing = parts.billing
    this.#forget = parts.forget
    this.#expireTasks = parts.expireTasks
  }

  health(): Health {
    return {
      ready: true,
      version,
      node: globalThis.process?.version ?? '',
      seed: this.#draws.seed,
      encoder: this.#media.encoder(),
      namespaces: this.#namespaces.all().length,
    }
  }

  now(namespace: string): number {
    return this.#clockOf(namespace).now()
  }

  clock(namespace: string): ClockStatus {
    return this.#clockOf(namespace).status()
  }

  setClock(namespace: string, { mode, rate }: { mode: ClockMode; rate?: number }): ClockStatus {
    const clock = this.#clockOf(namespace)
    clock.setMode(mode, rate)
    const status = clock.status()
    this.#events.append({ type: 'clock.changed', at: status.now, namespace, mode, rate: status.rate })
    return status
  }

  async advance(namespace: string, target: AdvanceTarget): Promise<Advanced> {
    const clock = this.#clockOf(namespace)
    let wokenCount = 0
    if ('by' in target) wokenCount = await clock.advance(target.by)
    else if ('to' in target) wokenCount = await clock.advanceTo(target.to)
    else wokenCount = await this.#advanceUntil(namespace, clock, target.until)
    const now = clock.now()
    return { now, time: new Date(now).toISOString(), wokenCount }
  }

  sleep(namespace: string, durationMs: number, options?: Parameters<Clock['sleep']>[1]): Promise<number> {
    return this.#clockOf(namespace).sleep(durationMs, options)
  }

  deadline(namespace: string, durationMs: number, { as }: { as?: string } = {}): Deadline {
    return this.#clockOf(namespace).deadline(durationMs, as)
  }

  hold(namespace: string, { name, forMs }: { name: string; forMs?: number }): HoldStatus {
    const { auto, mode } = this.#clockOf(namespace)
    if (mode === 'auto' || mode === 'manual') return auto.holds.take(name, forMs)
    throw new ClockError(
      `Failed to hold the clock: in mode ${mode} time passes whatever is held. Set mode auto or manual first.`,
    )
  }

  renewHold(namespace: string, id: string, forMs?: number): HoldStatus {
    const renewed = this.#clockOf(namespace).auto.holds.renew(id, forMs)
    if (renewed) return renewed
    throw unknownHold(id)
  }

  releaseHold(namespace: string, id: string): boolean {
    return this.#clockOf(namespace).auto.holds.release(id)
  }

  join(namespace: string, name: string): ClockStatus {
    const clock = this.#clockOf(namespace)
    clock.auto.participants.join(name)
    return clock.status()
  }

  leave(namespace: string, name?: string): ClockStatus {
    const clock = this.#clockOf(namespace)
    clock.auto.participants.leave(name)
    return clock.status()
  }

  tasks(namespace: string, { last }: { last?: number } = {}): TaskSummary[] {
    return [...this.eachTask(namespace, { ...(last !== undefined && { last }) })]
  }

  eachTask(
    namespace: string,
    { last }: { last?: number } = {},
  ): Iterable<TaskSummary> & { readonly count: number } {
    // Looking makes no namespace: a mistyped name would fill the table.
    if (!this.#namespaces.has(namespace)) return Object.assign([], { count: 0 })
    const now = this.#clockOf(namespace).now()
    const all = this.#tasks.list(namespace)
    const tasks = last === undefined ? all : all.slice(Math.max(0, all.length - last))
    // A task that changes is another object from then on; only how often it was looked at is counted in place.
    const pollCounts = tasks.map((task) => task.pollCount)
    const summaryOf = (task: Task, index: number): TaskSummary => this.#summary(task, now, pollCounts[index]!)
    return {
      count: tasks.length,
      *[Symbol.iterator]() {
        for (const [index, task] of tasks.entries()) yield summaryOf(task, index)
      },
    }
  }

  task(namespace: string, id: string): TaskSummary {
    const now = this.#clockOf(namespace).now()
    return this.#summary(this.#find(namespace, id), now)
  }

  transition(namespace: string, id: string, change: { status: string; reason?: string }): TaskSummary {
    const task = this.#find(namespace, id)
    const { status, reason } = change
    const at = this.#clockOf(namespace).now()
    const why = reason === undefined ? {} : { reason }
    this.#tasks.transition(task, { at, state: status, ...why, cause: 'control' })
    return this.task(namespace, id)
  }

  journal(namespace: string, filter: JournalFilter = {}): JournalEntry[] {
    checkFilter(filter)
    return this.#namespaces.has(namespace) ? this.#namespaces.get(namespace).journal.entries(filter) : []
  }

  exchange(namespace: string, number: number): ExplainedEntry {
    const entries = this.journal(namespace)
    const entry = entries.find((each) => each.number === number)
    if (entry) return { ...entry, reasons: entry.reasons() }
    const known =
      entries.length === 0 ? 'none' : `those from ${entries[0]!.number} to ${entries.at(-1)!.number}`
    throw new ControlError(
      404,
      `There is no exchange ${number} in namespace "${namespace}"; the journal knows ${known}.`,
    )
  }

  usage(namespace: string): KeyUsage[] {
    if (!this.#namespaces.has(namespace)) return []
    return this.#billing.usage(namespace, this.#clockOf(namespace).now())
  }

  rules(namespace?: string): ListedRule[] {
    return this.#rules.list(namespace)
  }

  async addRule(value: unknown, namespace?: string): Promise<{ id: string }> {
    const rule = readPostedRule(value)
    return { id: this.#rules.add(rule, namespace) }
  }

  async nextRule(value: unknown, namespace?: string): Promise<{ id: string }> {
    const rule = readPostedRule(value)
    return { id: this.#rules.next(rule, namespace) }
  }

  removeRule(id: string, namespace?: string): { removed: string } {
    if (this.#rules.remove(id, namespace)) return { removed: id }
    const known = this.#rules.list(namespace).map((rule) => rule.id)
    const name = JSON.stringify(id.slice(0, 80))
    if (known.includes(id))
      throw new ControlError(404, `Rule ${name} is for all namespaces: take it away without naming one.`)
    throw new ControlError(404, `There is no rule ${name}.${didYouMean(id, known)}`)
  }

  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void {
    if (!this.#namespaces.has(namespace)) return
    const { journal, clock, acceptances, attempts, retries } = this.#namespaces.get(namespace)
    if (what.journal) journal.clear()
    if (!what.tasks) return
    // Without its tasks a namespace is as new, but for its time: the same request gets the same id and the same
    // answer from the rules again.
    this.#tasks.clear(namespace, clock.now())
    acceptances.clear()
    attempts.clear()
    retries.clear()
    clock.forgetClients()
    this.#forget(namespace)
  }

  snapshot(namespace?: string): Snapshot {
    if (namespace !== undefined) this.#clockOf(namespace)
    return snapshotOf(this.#parts.state(), this.#draws.seed, namespace)
  }

  snapshotText(namespace?: string): Promise<Iterable<string>> {
    if (namespace !== undefined) this.#clockOf(namespace)
    return snapshotText(this.#parts.state(), this.#draws.seed, namespace)
  }

  restore(document: unknown, options: { namespace?: string; isTrusted?: boolean } = {}): Restored {
    return restoreSnapshot(document, this.#parts, options)
  }

  restoreInTurns(document: unknown, options: { namespace?: string } = {}): Promise<Restored> {
    return restoreInTurns(document, this.#parts, options)
  }

  /** Waiters on the way may change the task, so its timeline is asked again after each step. */
  async #advanceUntil(
    namespace: string,
    clock: Clock,
    { task: id, status }: { task: string; status: string },
  ): Promise<number> {
    const { lifecycle } = this.#find(namespace, id)
    const known = Object.keys(lifecycle.states)
    if (!known.includes(status)) {
      throw new ControlError(
        400,
        `There is no status "${status}".${didYouMean(status, known)} Use ${known.join(', ')}.`,
      )
    }
    let wokenCount = 0
    for (;;) {
      const { timeline } = this.#find(namespace, id)
      const instant = reaches(timeline, status)
      if (instant === null) {
        const path = timeline.spans.map(({ state }) => state).join(' → ')
        throw new ControlError(409, `Task ${id} never becomes ${status}: its timeline is ${path}.`)
      }
      const now = clock.now()
      if (instant <= now) return wokenCount
      wokenCount += await clock.advance(instant - now)
    }
  }

  #find(namespace: string, id: string): Task {
    const task = this.#tasks.find(id)
    if (task?.record.namespace === namespace) return task
    throw new ControlError(
      404,
      `There is no task ${JSON.stringify(id.slice(0, 80))} in namespace "${namespace}". ` +
        `GET /_greenroom/tasks?namespace=${namespace} lists them.`,
    )
  }

  #clockOf(namespace: string): Clock {
    const { clock } = this.#namespaces.get(namespace)
    clock.catchUp()
    this.#parts.state().noteTime(namespace)
    this.#expireTasks(namespace, clock.now())
    return clock
  }

  #summary(task: Task, now: number, pollCount = task.pollCount): TaskSummary {
    const { record, timeline } = task
    const view = this.#tasks.view(task, now)
    return {
      id: record.id,
      operation: record.operation,
      status: view.state,
      progress: view.progress,
      reason: view.reason,
      submittedAt: record.submittedAt,
      startedAt: view.startedAt,
      finishedAt: view.finishedAt,
      pollCount,
      request: requestOf(task),
      timeline: timeline.spans.map(({ state, from }) => ({ status: state, from })),
    }
  }
}

/** Reads a rule that came over HTTP. */
function readPostedRule(value: unknown): Rule {
  const checked = readRule(value)
  if ('mistakes' in checked) throw new ControlError(400, checked.mistakes.join('; '))
  if (checked.rule.media?.file !== undefined) {
    throw new ControlError(400, 'media.file names a file of this machine, which is for scenario files only.')
  }
  return checked.rule
}
