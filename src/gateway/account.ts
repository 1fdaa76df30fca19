import type { Task, TaskStore } from '../engine/tasks.ts'
import { maskKey } from './keys.ts'
import { dollarsOf, quotaPerDollar } from './prices.ts'

/** What a key has used, as the control plane tells it. Money is in dollars. */
export interface KeyUsage {
  /** Enough of the key to tell it from others, never all of it. */
  key: string
  tasks: number
  /** Seconds of video that were asked for. */
  seconds: number
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
export interface Shortage {
  readonly code: 'insufficient_user_quota'
  readonly message: string
}

/** Up to so many reservations nobody looks whether some are over; of more, each charge looks at one. */
const mostUnlooked = 100

/**
 * The money of one key. Nothing is booked by timers: what a task costs is given back when its timeline says that it
 * has failed, at that very instant, whenever anybody asks.
 */
export class Account {
  readonly #credential: string
  readonly #balance: number | undefined
  readonly #tasks: Pick<TaskStore, 'find' | 'view'>
  /** What is set aside for each task, as it was last known: it may be forgotten before it is asked about. */
  readonly #reserved = new Map<Task, number>()
  #reservedQuota = 0
  #spent = 0
  #taskCount = 0
  #seconds = 0
  #tokens = { input: 0, output: 0 }

  /** @param balance in dollars; without one, any sum can be spent. */
  constructor(credential: string, balance: number | undefined, tasks: Pick<TaskStore, 'find' | 'view'>) {
    this.#credential = credential
    this.#balance = balance === undefined ? undefined : Math.floor(balance * quotaPerDollar)
    this.#tasks = tasks
  }

  /**
   * Why the key can't pay a sum now; undefined when it can. Ask before anything is done.
   *
   * @param quota in the gateway's units.
   * @assumed §8 the answer to an empty balance is not shown; wire §2.2. The sign is the full-width dollar.
   */
  shortage(quota: number, now: number): Shortage | undefined {
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
    this.#reserved.set(task, quota)
    this.#reservedQuota += quota
    if (this.#reserved.size > mostUnlooked) this.#settle(now, 1)
  }

  usage(now: number): KeyUsage {
    this.#settle(now)
    return {
      key: neverWhole(this.#credential),
      tasks: this.#taskCount,
      seconds: this.#seconds,
      tokens: { ...this.#tokens },
      spent: dollarsOf(this.#spent),
      reserved: dollarsOf(this.#reservedQuota),
      balance: this.#balance === undefined ? null : dollarsOf(this.#left(this.#balance)),
    }
  }

  #left(balance: number): number {
    return balance - this.#spent - this.#reservedQuota
  }

  /**
   * Terminal records never change, so what has ended is booked for good.
   * @param most how many are looked at, those first that were not for longest.
   */
  #settle(now: number, most = this.#reserved.size): void {
    const looked = [...take(this.#reserved, most)]
    for (const [known, quota] of looked) {
      const found = this.#tasks.find(known.id)
      const task = found?.serial === known.serial ? found : known
      const { state, final } = this.#tasks.view(task, now)
      this.#reserved.delete(known)
      if (!final) {
        this.#reserved.set(task, quota)
        continue
      }
      if (state === task.lifecycle.roles.success) this.#spent += quota
      this.#reservedQuota -= quota
    }
  }
}

function* take<T>(items: Iterable<T>, most: number): Generator<T> {
  let taken = 0
  for (const item of items) {
    if (taken++ >= most) return
    yield item
  }
}

function amount(quota: number): string {
  return `＄${(quota / quotaPerDollar).toFixed(6)}`
}

/** A namespace's key is known by its name; of others the journal's few signs must do. */
function neverWhole(credential: string): string {
  const masked = maskKey(credential)
  return masked === credential && credential !== '' ? `…${credential.slice('sk-sim-'.length)}` : masked
}
