import type { Task, TaskStore } from '../../engine/tasks/tasks.ts'
import { endOfTimeline } from '../../engine/tasks/timeline.ts'
import { dollarsOf, quotaPerDollar } from './prices.ts'

/**
 * The usage of a key. Money is in dollars.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const usage: KeyUsage[] = sim.usage()
 * usage // → [{ key: 'sk-…', tasks: 1, seconds: 1, spent: 0.08, reserved: 0, … }]
 */
export interface KeyUsage {
  /** Part of the key: enough to recognize it, never all of it. */
  key: string
  /** The number of its tasks. */
  tasks: number
  /** Requested seconds of video. */
  seconds: number
  /** Tokens of text requests and of their responses. */
  tokens: { input: number; output: number }
  /** The money spent. Tasks count once they have succeeded. */
  spent: number
  /** The money reserved for open tasks. A failed task returns its part. */
  reserved: number
  /** The remaining balance; null for a key without a balance. */
  balance: number | null
}

/** The cost of a request. A task is charged when it succeeds, everything else at once. */
export interface Charge {
  /** In the gateway's units. */
  readonly quota: number
  readonly task?: Task
  readonly seconds?: number
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** Money reserved for a task, which is spent if the task succeeds. */
export interface Reservation {
  readonly quota: number
  /** When the task ends, as far as is known; null if it doesn't end by itself. */
  readonly endsAt: number | null
  /** Whether the end spends the money. A failed task returns it. */
  readonly spends: boolean
}

/** Why a key can't pay. */
export interface InsufficientFunds {
  readonly code: 'insufficient_user_quota'
  /** In the gateway's own words. */
  readonly message: string
  /** What the key has, and what the request costs, in the gateway's units. */
  readonly left: number
  readonly quota: number
}

/** The totals of an account, without its reservations. */
export interface Spent {
  /** Part of the key, enough to recognize it. */
  readonly label: string
  readonly spent: number
  readonly tasks: number
  readonly seconds: number
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Above this many reservations, every charge checks two of them, so that their number stays bounded. */
const maxUnsettled = 16

/**
 * The money of one key. It has no timers: the timeline of a task tells when the task ends, and the next read of the totals
 * settles its reservation.
 */
export class Account {
  readonly #balance: number | undefined
  readonly #tasks: Pick<TaskStore, 'find'>
  readonly #onChange: (task?: string) => void
  readonly #reservations = new Map<string, Reservation>()
  #reserved = 0
  /** The position from which the next charge checks reservations. */
  #unchecked = this.#reservations.keys()
  #sums: Spent

  /**
   * @param label the part of the key that is visible.
   * @param balance in dollars; without a balance, spending is unlimited.
   * @param onChange called when totals change, with the task whose reservation changed.
   */
  constructor(
    label: string,
    balance: number | undefined,
    tasks: Pick<TaskStore, 'find'>,
    onChange: (task?: string) => void = () => {},
  ) {
    this.#sums = { label, spent: 0, tasks: 0, seconds: 0, tokens: { input: 0, output: 0 } }
    this.#onChange = onChange
    this.#balance = balance === undefined ? undefined : Math.floor(balance * quotaPerDollar)
    this.#tasks = tasks
  }

  /**
   * Why the key can't pay a sum now; undefined if it can. Call it before the request has any effect.
   *
   * @param quota in the gateway's units.
   * @assumed §8 the answer to an empty balance is not documented; wire §2.2. The sign is the full-width dollar.
   */
  shortage(quota: number, now: number): InsufficientFunds | undefined {
    if (this.#balance === undefined) return undefined
    // Settling takes time, and most keys have enough money without the refunds.
    if (this.#left(this.#balance) >= Math.max(quota, 1)) return undefined
    this.#settleAll(now)
    const left = this.#left(this.#balance)
    if (left >= Math.max(quota, 1)) return undefined
    const message =
      left <= 0
        ? `用户额度不足, 剩余额度: ${formatQuota(left)}`
        : `预扣费额度失败, 用户剩余额度: ${formatQuota(left)}, 需要预扣费额度: ${formatQuota(quota)}`
    return { code: 'insufficient_user_quota', message, left, quota }
  }

  /** Books a cost. For a task, reserves it until the task ends. */
  charge({ quota, task, seconds = 0, tokens = { input: 0, output: 0 } }: Charge, now: number): void {
    this.#onChange(task?.id)
    const { label, spent, tasks, seconds: secondsBefore, tokens: tokensBefore } = this.#sums
    this.#sums = {
      label,
      spent: task ? spent : spent + quota,
      tasks: task ? tasks + 1 : tasks,
      seconds: secondsBefore + seconds,
      tokens: { input: tokensBefore.input + tokens.input, output: tokensBefore.output + tokens.output },
    }
    if (!task) return
    this.reserve(task.id, reservationFor(task, quota))
    for (let checked = 0; checked < 2 && this.#reservations.size > maxUnsettled; checked++) {
      let next = this.#unchecked.next()
      if (next.done) next = (this.#unchecked = this.#reservations.keys()).next()
      this.#settle(next.value!, now)
    }
  }

  reserve(task: string, reservation: Reservation): void {
    this.release(task)
    this.#reservations.set(task, reservation)
    this.#reserved += reservation.quota
  }

  /** The reservation of a task; undefined when there is none. */
  reservation(task: string): Reservation | undefined {
    return this.#reservations.get(task)
  }

  /** The tasks with a reservation. */
  reservedTasks(): IterableIterator<string> {
    return this.#reservations.keys()
  }

  release(task: string): void {
    this.#reserved -= this.#reservations.get(task)?.quota ?? 0
    this.#reservations.delete(task)
  }

  get past(): Spent {
    return this.#sums
  }

  /** Restores stored totals. */
  restore({ spent, tasks, seconds, tokens }: Spent): void {
    this.#sums = { label: this.#sums.label, spent, tasks, seconds, tokens: { ...tokens } }
  }

  usage(now: number): KeyUsage {
    this.#settleAll(now)
    const { label, spent, tasks, seconds, tokens } = this.#sums
    return {
      key: label,
      tasks,
      seconds,
      tokens: { ...tokens },
      spent: dollarsOf(spent),
      reserved: dollarsOf(this.#reserved),
      balance: this.#balance === undefined ? null : dollarsOf(this.#left(this.#balance)),
    }
  }

  #left(balance: number): number {
    return balance - this.#sums.spent - this.#reserved
  }

  #settleAll(now: number): void {
    for (const id of this.#reservations.keys()) this.#settle(id, now)
  }

  /** Settles the reservation of a task that has ended. Ended tasks never change, so this is final. */
  #settle(id: string, now: number): void {
    const known = this.#reservations.get(id)!
    const task = this.#tasks.find(id)
    // A removed task ends as last known. If its end was unknown, its money is returned.
    const reservation = task && task.amendments.length > 0 ? reservationFor(task, known.quota) : known
    const { endsAt, spends, quota } = reservation
    if (endsAt === null ? task : endsAt > now) {
      if (reservation !== known) this.#reservations.set(id, reservation)
      if (reservation.endsAt !== known.endsAt || reservation.spends !== known.spends) this.#onChange(id)
      return
    }
    this.release(id)
    if (spends) this.#sums = { ...this.#sums, spent: this.#sums.spent + quota }
    this.#onChange(id)
  }
}

function formatQuota(quota: number): string {
  return `＄${(quota / quotaPerDollar).toFixed(6)}`
}

/** Makes the reservation of a task from what is known of it now. */
function reservationFor({ timeline, lifecycle }: Task, quota: number): Reservation {
  const end = endOfTimeline(timeline, lifecycle)
  const spends = timeline.spans.at(-1)!.state === lifecycle.roles.success
  return { quota, endsAt: end === Infinity ? null : end, spends }
}
