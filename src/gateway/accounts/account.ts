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
  /** Enough of the key to tell it from others, never all of it. */
  key: string
  /** The number of its tasks. */
  tasks: number
  /** Requested seconds of video. */
  seconds: number
  /** Of texts: those of the requests, and those of the responses. */
  tokens: { input: number; output: number }
  /** Spent; tasks count once they have succeeded. */
  spent: number
  /** Reserved for open tasks; a failed task gives its part back. */
  reserved: number
  /** The rest of the balance; null for a key without one. */
  balance: number | null
}

/** What a request costs: at once, or when its task succeeds. */
export interface Charge {
  /** In the gateway's units. */
  readonly quota: number
  readonly task?: Task
  readonly seconds?: number
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** Money that a task will cost if it succeeds. */
export interface Reservation {
  readonly quota: number
  /** When the task ends, as far as is known; null: never by itself. */
  readonly endsAt: number | null
  /** Whether the money is spent then; a failed task gives it back. */
  readonly spends: boolean
}

/** Why a key can't pay, in the words of the gateway. */
export interface InsufficientFunds {
  readonly code: 'insufficient_user_quota'
  readonly message: string
}

/** The sums of an account, without its reservations. */
export interface Spent {
  /** Enough of the key to tell it from others. */
  readonly label: string
  readonly spent: number
  readonly tasks: number
  readonly seconds: number
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Above this many reservations, every charge checks two of them, so that their number stays bounded. */
const maxUnsettled = 16

/**
 * The money of one key. No timers: the timeline of a task says when it fails or succeeds, and its reservation is settled
 * when the sums are read next.
 */
export class Account {
  readonly #balance: number | undefined
  readonly #tasks: Pick<TaskStore, 'find'>
  readonly #onChange: (task?: string) => void
  readonly #reservations = new Map<string, Reservation>()
  #reserved = 0
  /** Where the next charge continues to check reservations. */
  #unchecked = this.#reservations.keys()
  #sums: Spent

  /**
   * @param label the visible part of the key.
   * @param balance in dollars; without one, any sum can be spent.
   * @param onChange called when sums have changed, with the task whose reservation changed.
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
   * Why the key can't pay a sum now; undefined when it can. Call it before anything is done.
   *
   * @param quota in the gateway's units.
   * @assumed §8 the answer to an empty balance is not documented; wire §2.2. The sign is the full-width dollar.
   */
  shortage(quota: number, now: number): InsufficientFunds | undefined {
    if (this.#balance === undefined) return undefined
    // Settling takes time, and most keys have enough without the refunds.
    if (this.#left(this.#balance) >= Math.max(quota, 1)) return undefined
    this.#settleAll(now)
    const left = this.#left(this.#balance)
    if (left >= Math.max(quota, 1)) return undefined
    const message =
      left <= 0
        ? `用户额度不足, 剩余额度: ${formatQuota(left)}`
        : `预扣费额度失败, 用户剩余额度: ${formatQuota(left)}, 需要预扣费额度: ${formatQuota(quota)}`
    return { code: 'insufficient_user_quota', message }
  }

  /** Books a cost. The cost of a task is reserved until the task has ended. */
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

  /** Continues from stored sums. */
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

  /** Books the reservation of a task that has ended. Terminal records never change, so that is final. */
  #settle(id: string, now: number): void {
    const known = this.#reservations.get(id)!
    const task = this.#tasks.find(id)
    // The end of a removed task is the one that was last known. Without one, its money is given back.
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

/** A reservation by what is known now of a task. */
function reservationFor({ timeline, lifecycle }: Task, quota: number): Reservation {
  const end = endOfTimeline(timeline, lifecycle)
  const spends = timeline.spans.at(-1)!.state === lifecycle.roles.success
  return { quota, endsAt: end === Infinity ? null : end, spends }
}
