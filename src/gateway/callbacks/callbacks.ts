import type { Clock } from '../../engine/clock/clock.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { once } from '../../engine/once.ts'
import type { SimulatorEvent } from '../../engine/tasks/events.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { nextChange } from '../../engine/tasks/timeline.ts'
import { Waiters } from '../../engine/clock/waiters.ts'
import { Semaphore } from '../../media/semaphore.ts'
import { refuse, type Exchange, type GatewayCore, type Route } from '../exchange.ts'
import { createCallback, type CallbackCopy } from './callback-exchange.ts'
import { deliver, type Deliver } from './deliver.ts'
import type { CallbackPlan, CallbackMessage } from './plan.ts'

/** `atOnce`: how many callbacks are sent at the same time. `pending`: how many are sent or waiting. Further ones are dropped. */
export const callbackCaps = { atOnce: 100, pending: 10_000 }

/** How late the last callback of a task comes, if a fault lets the next one overtake it: there is no next one. */
const lateMs = 60_000

/** The fields of a task's request with the URL of its client, and with the beginning of links. */
export const callbackFields = { url: 'hook', origin: 'hookOrigin' } as const

/** One task whose changes are reported. */
interface Followed {
  readonly record: TaskRecord
  readonly route: Route & { readonly callback: CallbackPlan }
  readonly url: string
  /** The instant up to which its changes were reported. */
  until: number
  /** What the last callback reported. */
  latest: string | undefined
  /** Its first callback, which a fault may replay. */
  first: Exchange | undefined
  count: number
  /** Callbacks that have to arrive after the next one. */
  held: Exchange[]
  /** Ends the wait for the next change. */
  wake: AbortController
  /** Callbacks of one task are sent one after the other. */
  sent: Promise<unknown>
}

/** The followed tasks of a namespace. */
interface NamespaceTasks {
  readonly ids: Set<string>
  /** Whether they must not move time in `auto`, because a dialog waits for a client; undefined if they differ. */
  isHeld: boolean | undefined
  /** The waiters in that case. */
  readonly held: Waiters
}

/**
 * Sends each change of a task to the URL that its client named, in the order of the virtual clock. Each attempt is an exchange
 * that rules and faults may change, and that the journal contains. Callbacks never delay a task.
 */
export class Callbacks {
  readonly #core: GatewayCore
  readonly #routeOf: (kind: string) => Route | undefined
  readonly #deliver: Deliver
  readonly #followed = new Map<string, Followed>()
  readonly #namespaces = new Map<string, NamespaceTasks>()
  readonly #closing = new AbortController()
  readonly #caps: typeof callbackCaps
  readonly #slots: Semaphore
  #pending = 0

  /** @param given `routeOf` returns the operation that reports a kind of tasks; `send` delivers a request. */
  constructor(
    core: GatewayCore,
    given: { routeOf: (kind: string) => Route | undefined; send: Deliver; caps?: typeof callbackCaps },
  ) {
    this.#core = core
    this.#routeOf = given.routeOf
    this.#deliver = given.send
    this.#caps = given.caps ?? callbackCaps
    this.#slots = new Semaphore(this.#caps.atOnce)
    core.events.subscribe((event) => this.#onEvent(event))
  }

  /** Aborts callbacks in progress, and sends no more. */
  close(): void {
    this.#closing.abort()
    for (const { wake } of this.#followed.values()) wake.abort()
    this.#followed.clear()
  }

  /** Continues with a restored task, from the instant at which it was saved. */
  resume(task: Task, savedAt: number): void {
    const { record, lifecycle } = task
    const view = this.#core.tasks.view(task, savedAt)
    if (view.final) return
    this.#follow(record, savedAt, this.#routeOf(lifecycle.name)?.callback?.changeOf(task, view))
  }

  /** Why a task must not be restored with a text in this field, since a document may come from outside. */
  refuse({ lifecycle }: TaskRecord, field: string, text: string): string | undefined {
    const plan = this.#routeOf(lifecycle)?.callback
    if (!plan || field !== callbackFields.url || plan.mayCall(text)) return undefined
    return `sends callbacks to ${JSON.stringify(text)}. ${plan.advice}`
  }

  #onEvent(event: SimulatorEvent): void {
    if (event.type === 'task.submitted') this.#follow(event.task, event.task.submittedAt, undefined)
    if (event.type === 'task.removed') this.#forget(event.id)
    if (event.type === 'task.amended') this.#followed.get(event.id)?.wake.abort()
    if (event.type === 'task.amended' || event.type === 'clock.moved') this.#wake(event.namespace)
    if (event.type === 'tasks.cleared') {
      for (const id of this.#namespaces.get(event.namespace)?.ids ?? []) this.#forget(id)
    }
  }

  /** Wakes tasks with a change to report. All others wait on the clock. */
  #wake(namespace: string): void {
    const tasks = this.#namespaces.get(namespace)
    if (!tasks) return
    const { clock } = this.#core.namespaces.get(namespace)
    const now = clock.now()
    const holds = this.#mustHold(clock, namespace)
    if (tasks.isHeld !== holds) for (const id of tasks.ids) this.#followed.get(id)!.wake.abort()
    else for (let due = tasks.held.takeDue(now); due; due = tasks.held.takeDue(now)) due.wake()
    tasks.isHeld = holds
  }

  /**
   * Whether callbacks must not wait on the clock: in `auto`, waiting moves time, but a client needs time to answer a dialog.
   */
  #mustHold(clock: Clock, namespace: string): boolean {
    return clock.mode === 'auto' && this.#core.open.isClientExpected(namespace, clock.now())
  }

  #follow(record: TaskRecord, until: number, latest: string | undefined): void {
    const url = record.request[callbackFields.url]
    if (typeof url !== 'string') return
    const route = this.#routeOf(record.lifecycle)
    if (!route?.callback) return
    const { id, namespace } = record
    const followed: Followed = {
      record,
      route: route as Followed['route'],
      url,
      until,
      latest,
      first: undefined,
      count: 0,
      held: [],
      wake: new AbortController(),
      sent: Promise.resolve(),
    }
    this.#followed.set(id, followed)
    let tasks = this.#namespaces.get(namespace)
    if (!tasks)
      this.#namespaces.set(namespace, (tasks = { ids: new Set(), isHeld: false, held: new Waiters() }))
    tasks.ids.add(id)
    void this.#waitForChanges(id, followed, tasks)
  }

  async #waitForChanges(id: string, followed: Followed, tasks: NamespaceTasks): Promise<void> {
    for (;;) {
      const task = this.#core.tasks.find(id)
      if (this.#closing.signal.aborted || this.#followed.get(id) !== followed || !task)
        return this.#forget(id)
      const { clock } = this.#core.namespaces.get(task.record.namespace)
      followed.wake = new AbortController()
      // Time may pass while this runs.
      const now = clock.now()
      const next = this.#reportUntil(task, followed, now)
      if (this.#core.tasks.view(task, now).final) {
        followed.sent = followed.sent.then(() => this.#releaseLate(task, followed))
        return this.#forget(id)
      }
      const { wake } = followed
      const holds = this.#mustHold(clock, task.record.namespace)
      if (tasks.isHeld !== holds) tasks.isHeld = undefined
      const waiting = { kind: 'work' } as const
      const due = next ?? Infinity
      const listed =
        holds && tasks.held.add({ due, rank: '', waiting, wake: () => wake.abort(), end: () => {} })
      // The wait ends when the task changes, the clock moves or the namespace ends.
      await clock.wait(holds ? Infinity : due - now, wake.signal, waiting).catch(() => {})
      if (listed) listed.remove()
    }
  }

  /** Reports every change up to an instant. @returns the instant of the next change. */
  #reportUntil(task: Task, followed: Followed, now: number): number | null {
    this.#report(task, followed, followed.until)
    for (;;) {
      const next = nextChange(task.timeline, task.lifecycle, followed.until)
      if (next === null || next > now) break
      followed.until = next
      this.#report(task, followed, next)
    }
    followed.until = now
    this.#report(task, followed, now)
    return nextChange(task.timeline, task.lifecycle, now)
  }

  #report(task: Task, followed: Followed, at: number): void {
    const { tasks, draws } = this.#core
    const change = followed.route.callback.changeOf(task, tasks.view(task, at))
    if (change === undefined || change === followed.latest) return
    followed.latest = change
    const id = `msg_${draws.text('0123456789abcdefghijklmnopqrstuvwxyz', 24, 'callback.id', task.id, followed.count++)}`
    const message: CallbackMessage = { id, at, attempt: 0 }
    if (this.#pending >= this.#caps.pending) return this.#drop(task, followed, message)
    this.#pending++
    followed.sent = followed.sent
      .then(() => this.#slots.use(() => this.#send(task, followed, message, change)))
      .finally(() => this.#pending--)
  }

  /** Records a callback that is not sent. */
  #drop(task: Task, followed: Followed, message: CallbackMessage, hint?: string): void {
    const x = this.#create(task, followed, message)
    if (hint !== undefined) x.entry.hint = hint
    x.settle('failed', 0, { status: 0 })
  }

  #create(task: Task, { route, url }: Followed, message: CallbackMessage, copy?: CallbackCopy): Exchange {
    const origin = String(task.record.request[callbackFields.origin] ?? '')
    return createCallback(this.#core, { route, task, url, origin, message }, copy)
  }

  /** Makes one attempt. */
  async #send(task: Task, followed: Followed, message: CallbackMessage, change: string): Promise<void> {
    if (!this.#isWanted(task)) return
    const { clock } = this.#core.namespaces.get(task.record.namespace)
    // Callbacks to several receivers at one instant would race each other.
    if (clock.auto.agents.size > 0) await clock.agreement.takeTurn(() => `${task.id} ${change}`)
    if (!this.#isWanted(task)) return
    const { callback } = followed.route
    if (!callback.mayCall(followed.url)) return this.#drop(task, followed, message, callback.advice)
    const x = this.#create(task, followed, message)
    followed.first ??= x
    const { times, isOvertaken, also } = x.reply.delivery ?? {}
    if (times === 0) return x.settle('failed', 0, { status: 0 })
    if (isOvertaken) return void followed.held.push(x)
    if (x.reply.delayMs > 0) return this.#sendLater(task, followed, message, x, x.reply.delayMs)
    const other =
      also &&
      (also === 'first'
        ? this.#create(task, followed, followed.first.message!, {
            kind: also,
            of: x,
            replayed: followed.first,
          })
        : this.#create(task, followed, message, { kind: also, of: x }))
    // Nothing is wrong with the callback itself.
    if (other) x.entry.fault = null
    if (also === 'false') await this.#post(other!, callback)
    await this.#attempt(task, followed, message, x)
    if (times === 2)
      await this.#post(this.#create(task, followed, message, { kind: 'same', of: x }), callback)
    if (also === 'first') await this.#post(other!, callback)
    for (const late of followed.held.splice(0)) await this.#post(late, callback)
  }

  /** Sends a callback, and plans another attempt if the receiver did not accept it. */
  async #attempt(task: Task, followed: Followed, message: CallbackMessage, x: Exchange): Promise<void> {
    const { callback } = followed.route
    const isAccepted = await this.#post(x, callback)
    const retryMs = callback.retriesMs[message.attempt]
    if (isAccepted || retryMs === undefined || !this.#isWanted(task)) return
    const next = { ...message, attempt: message.attempt + 1 }
    void this.#wait(task, retryMs).then(() =>
      this.#send(task, followed, next, `${message.id} ${next.attempt}`),
    )
  }

  #sendLater(task: Task, followed: Followed, message: CallbackMessage, x: Exchange, delayMs: number): void {
    void this.#wait(task, delayMs).then(async () => {
      if (this.#isWanted(task)) await this.#attempt(task, followed, message, x)
      else x.settle('failed', 0, { status: 0 })
    })
  }

  /** Sends the last callback of a task, which has no next one to wait for. */
  #releaseLate(task: Task, followed: Followed): void {
    const message = { id: '', at: 0, attempt: Infinity }
    for (const late of followed.held.splice(0)) this.#sendLater(task, followed, message, late, lateMs)
  }

  /** Waits on the clock. In `auto`, that moves time. */
  async #wait(task: Task, durationMs: number): Promise<void> {
    const { clock } = this.#core.namespaces.get(task.record.namespace)
    await clock.wait(durationMs, this.#closing.signal, { kind: 'work' }).catch(() => {})
  }

  /** @returns whether the receiver accepted the callback. */
  async #post(x: Exchange, plan: CallbackPlan): Promise<boolean> {
    // Its body or signature could not be made.
    if (x.reply.delivery?.times === 0) {
      x.settle('failed', 0, { status: 0 })
      return false
    }
    const answer = await deliver(x, {
      send: this.#deliver,
      timeoutMs: plan.timeoutMs,
      closing: this.#closing.signal,
    })
    if (this.#closing.signal.aborted) return false
    const isAccepted = isAcceptedBy(plan, answer.status, x)
    if (answer.isLate) x.entry.hint = `The receiver did not answer within ${formatDuration(plan.timeoutMs)}.`
    const { bytes, status } = answer
    x.settle(isAccepted ? 'completed' : answer.isLate ? 'aborted' : 'failed', status === 0 ? 0 : bytes, {
      status,
    })
    return isAccepted
  }

  /** Whether the task still exists. */
  #isWanted({ id, serial }: Task): boolean {
    return !this.#closing.signal.aborted && this.#core.tasks.find(id)?.serial === serial
  }

  #forget(id: string): void {
    const followed = this.#followed.get(id)
    if (!followed) return
    followed.wake.abort()
    this.#followed.delete(id)
    const { namespace } = followed.record
    const tasks = this.#namespaces.get(namespace)!
    tasks.ids.delete(id)
    if (tasks.ids.size === 0) this.#namespaces.delete(namespace)
  }
}

/** Whether a receiver accepts a callback, by the definition of its API, which may fail. */
function isAcceptedBy({ accepts }: CallbackPlan, status: number, x: Exchange): boolean {
  try {
    return accepts(status)
  } catch (error) {
    refuse(x, error)
    return false
  }
}

/** The routes of callbacks, each made on first use. */
export function lazyRoutes(
  core: GatewayCore,
  operations: ReadonlyMap<string, { readonly createRoute: (core: GatewayCore) => Route }>,
): (kind: string) => Route | undefined {
  const made = new Map(
    [...operations].map(([kind, { createRoute }]) => [kind, once(() => createRoute(core))]),
  )
  return (kind) => made.get(kind)?.()
}
