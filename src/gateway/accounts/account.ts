import type { Task, TaskStore } from '../../engine/tasks/tasks.ts'
import { maskKey } from './keys.ts'
import { dollarsOf, quotaPerDollar } from './prices.ts'
import { Reservations, type Reservation } from './reservations.ts'

/**
 * What a key has used, as the control plane tells it. Money is in dollars.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const usage: KeyUsage[] = sim.usage()
 * usage // → [{ key: 'sk-…', tasks: 1, seconds: 1, spent: 0.08, reserved: 0, … }]
 */
export interface KeyUsage {
  /** Enough of the key to tell it from others, never all of it. */
  key: string
  /** How many tasks it has made. */
  tasks: number
  /** Seconds of video that were asked for. */
  seconds: number
  /** Of texts: those of the requests, and those of the answers. */
  tokens: { input: number; output: number }
  /** Spent for good. */
  spent: number
  /** Set aside for tasks under way; a task that fails gives its part back. */
  reserved: number
  /** What is left; null where the key has no balance. */
  balance: number | null
}

/** What is used at once, or set aside for a task. */
export interface Charge {
  /** In the gateway's units. */
  readonly quota: number
  readonly task?: Task
  readonly seconds?: number
  readonly tokens?: { readonly input: number; readonly output: number }
}

/** Why a key can't pay, in the words of the gateway. */
export interface InsufficientFunds {
  readonly code: 'insufficient_user_quota'
  readonly message: string
}

/** What an account has to know of its past, beside its reservations. */
export interface Spent {
  /** Enough of the key to tell it from others. */
  readonly label: string
  readonly spent: number
  readonly tasks: number
  readonly seconds: number
  readonly tokens: { readonly input: number; readonly output: number }
}

/** Up to so many reservations nobody looks whether some are over; of more, each charge looks at two. */
const maxUnsettled = 16

/**
 * The money of one key. Nothing is booked by timers: what a task costs is given back when its timeline says that it
 * has failed, at that very instant, whenever anybody asks.
 */
export class Account {
  readonly #label: string
  readonly #balance: number | undefined
  readonly #tasks: Pick<TaskStore, 'find' | 'view'>
  readonly #reserved = new Reservations()
  readonly #onChange: (task?: string) => void
  /** Where the round through what is set aside stands. */
  #round = 0
  #spent = 0
  #taskCount = 0
  #seconds = 0
  #tokens = { input: 0, output: 0 }

  /**
   * @param label what of the key may be shown.
   * @param balance in dollars; without one, any sum can be spent.
   * @param onChange told when sums have changed, and whose reservation.
   */
  constructor(
    label: string,
    balance: number | undefined,
    tasks: Pick<TaskStore, 'find' | 'view'>,
    onChange: (task?: string) => void = () => {},
  ) {
    this.#label = label
    this.#onChange = onChange
    this.#balance = balance === undefined ? undefined : Math.floor(balance * quotaPerDollar)
    this.#tasks = tasks
  }

  /**
   * Why the key can't pay a sum now; undefined when it can. Ask before anything is done.
   *
   * @param quota in the gateway's units.
   * @assumed §8 the answer to an empty balance is not documented; wire §2.2. The sign is the full-width dollar.
   */
  shortage(quota: number, now: number): InsufficientFunds | undefined {
    if (this.#balance === undefined) return undefined
    // Looking for refunds takes time, and most keys have enough without.
    if (this.#left(this.#balance) >= Math.max(quota, 1)) return undefined
    this.#settle(now)
    const left = this.#left(this.#balance)
    if (left >= Math.max(quota, 1)) return undefined
    const message =
      left <= 0
        ? `用户额度不足, 剩余额度: ${amount(left)}`
        : `预扣费额度失败, 用户剩余额度: ${amount(left)}, 需要预扣费额度: ${amount(quota)}`
    return { code: 'insufficient_user_quota', message }
  }

  /** Books what is used. What a task costs is set aside until the task has ended. */
  charge({ quota, task, seconds = 0, tokens = { input: 0, output: 0 } }: Charge, now: number): void {
    this.#onChange(task?.id)
    this.#seconds += seconds
    this.#tokens = {
      input: this.#tokens.input + tokens.input,
      output: this.#tokens.output + tokens.output,
    }
    if (!task) {
      this.#spent += quota
      return
    }
    this.#taskCount++
    this.reserve(task.id, { quota, ...endOf(task) })
    // One that ends for each that comes, and one more, so that what is set aside doesn't pile up.
    for (let looked = 0; looked < 2 && this.#reserved.size > maxUnsettled; looked++) this.#settleNext(now)
  }

  /** Sets a sum aside. */
  reserve(task: string, reservation: Reservation): void {
    this.#reserved.add(task, reservation)
  }

  /** What is set aside for a task; undefined when nothing is. */
  reservation(task: string): Reservation | undefined {
    const place = this.#reserved.placeOf(task)
    return place === undefined ? undefined : this.#reserved.at(place)
  }

  /** The tasks for which something is set aside. */
  reservedTasks(): IterableIterator<string> {
    return this.#reserved.tasks()
  }

  /** Nothing is set aside for a task any more. */
  release(task: string): void {
    const place = this.#reserved.placeOf(task)
    if (place !== undefined) this.#reserved.remove(place)
  }

  get past(): Spent {
    return {
      label: this.#label,
      spent: this.#spent,
      tasks: this.#taskCount,
      seconds: this.#seconds,
      tokens: this.#tokens,
    }
  }

  /** Goes on from sums of before. */
  restore({ spent, tasks, seconds, tokens }: Spent): void {
    this.#spent = spent
    this.#taskCount = tasks
    this.#seconds = seconds
    this.#tokens = { ...tokens }
  }

  usage(now: number): KeyUsage {
    this.#settle(now)
    return {
      key: this.#label,
      tasks: this.#taskCount,
      seconds: this.#seconds,
      tokens: { ...this.#tokens },
      spent: dollarsOf(this.#spent),
      reserved: dollarsOf(this.#reserved.quota),
      balance: this.#balance === undefined ? null : dollarsOf(this.#left(this.#balance)),
    }
  }

  #left(balance: number): number {
    return balance - this.#spent - this.#reserved.quota
  }

  /** Looks at whatever is set aside whether it is over. */
  #settle(now: number): void {
    // From behind, since what is removed gives its place to the last one, which was looked at already.
    for (let place = this.#reserved.size - 1; place >= 0; place--) this.#settleOne(place, now)
  }

  /** Looks at the one that was not looked at for longest. */
  #settleNext(now: number): void {
    if (this.#round >= this.#reserved.size) this.#round = 0
    // Where something happened to a task so that it ends sooner, that is found when somebody asks for the sums.
    if (this.#reserved.endsBehind(this.#round, now) || !this.#settleOne(this.#round, now)) this.#round++
  }

  /** Terminal records never change, so what has ended is booked for good. @returns whether it has. */
  #settleOne(place: number, now: number): boolean {
    const id = this.#reserved.taskAt(place)
    const task = this.#tasks.find(id)
    // What nothing happened to ends as it was planned. A task may be forgotten before it is asked about; then it ended
    // as was last known, or never will.
    if (task && task.amendments.length > 0) {
      const before = this.#reserved.at(place)
      const end = endOf(task)
      this.#reserved.change(place, end)
      if (end.endsAt !== before.endsAt || end.spends !== before.spends) this.#onChange(id)
    }
    const { endsAt, spends, quota } = this.#reserved.at(place)
    if (endsAt === null ? task : endsAt > now) return false
    this.#reserved.remove(place)
    if (spends) this.#spent += quota
    this.#onChange(id)
    return true
  }
}

function amount(quota: number): string {
  return `＄${(quota / quotaPerDollar).toFixed(6)}`
}

/** When a task ends by what is known now, and whether its money is spent then. */
function endOf({ timeline, lifecycle }: Task): Pick<Reservation, 'endsAt' | 'spends'> {
  const last = timeline.spans.at(-1)!
  const ends = lifecycle.states[last.state]?.final === true
  return { endsAt: ends ? last.from : null, spends: ends && last.state === lifecycle.roles.success }
}

/** A namespace's key is known by its name; of others the journal's few signs must do. */
export function neverWhole(credential: string): string {
  const masked = maskKey(credential)
  return masked === credential && credential !== '' ? `…${credential.slice('sk-sim-'.length)}` : masked
}
