import { Changes } from '../../engine/tasks/changes.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import type { TaskStore } from '../../engine/tasks/tasks.ts'
import { Account, type KeyUsage, type Spent } from './account.ts'
import { maskKey, type Caller } from './keys.ts'
import type { KeyRecord, Price } from '../../scenario/vocabulary/types.ts'
import { quotaOf, priceOf, type BilledWork } from './prices.ts'

/** The maximum number of accounts in a namespace. Further keys share one. */
export const maxKeys = 10_000

/** The prices, and an account for each key in each namespace. */
export class Billing {
  readonly prices: readonly Price[]
  readonly discount: number
  readonly #tasks: Pick<TaskStore, 'find'>
  readonly #configured: readonly Price[]
  readonly #accounts = new Map<string, Map<string, Account>>()
  readonly #balances: ReadonlyMap<string, number | undefined>
  readonly #changes: Changes

  /**
   * @param options `configured` are the prices of the options; `prices` are these and those of the APIs. `discount` is the share of
   * every price that is paid: 1 is the full price. `keys` are the configured keys with their balances. `changes` records every
   * account that changes.
   */
  constructor(options: {
    prices: readonly Price[]
    configured?: readonly Price[]
    discount: number
    tasks: Pick<TaskStore, 'find'>
    keys?: readonly (string | KeyRecord)[]
    changes?: Changes
  }) {
    const keys = (options.keys ?? []).filter((key) => typeof key === 'object')
    this.#balances = new Map(keys.map(({ key, balance }) => [hashApiKey(key), balance]))
    this.#changes = options.changes ?? new Changes()
    this.prices = options.prices
    this.#configured = options.configured ?? []
    this.discount = options.discount
    this.#tasks = options.tasks
  }

  /** What a piece of work costs with a model, in the gateway's units. */
  quotaFor(model: string, work: BilledWork): number {
    return quotaOf(priceOf(this.prices, model), work, this.discount)
  }

  /** The same by the prices of the options alone, for APIs whose prices are unknown. */
  configuredQuotaFor(model: string, work: BilledWork): number {
    return quotaOf(priceOf(this.#configured, model), work, this.discount)
  }

  /** The account of a client in a namespace. */
  account(namespace: string, { hashedKey, credential, key }: Caller): Account {
    const known = this.known(namespace, hashedKey)
    if (known) return known
    const name = this.#accountsOf(namespace).size < maxKeys ? hashedKey : ''
    return this.known(namespace, name) ?? this.#open(namespace, name, labelOf(credential), key?.balance)
  }

  /** An account by the hash of its key; undefined when there is none. */
  known(namespace: string, name: string): Account | undefined {
    return this.#accounts.get(namespace)?.get(name)
  }

  /** Restores stored totals. */
  restore(namespace: string, name: string, spent: Spent): void {
    const known = this.known(namespace, name)
    const account = known ?? this.#open(namespace, name, spent.label, this.#balances.get(name))
    account.restore(spent)
  }

  /** All accounts: namespaces with hashed keys. */
  *all(): Generator<[namespace: string, name: string]> {
    for (const [namespace, accounts] of this.#accounts)
      for (const name of accounts.keys()) yield [namespace, name]
  }

  /** The usage of each key of a namespace, up to an instant. */
  usage(namespace: string, now: number): KeyUsage[] {
    return [...(this.#accounts.get(namespace)?.values() ?? [])].map((account) => account.usage(now))
  }

  /** Resets all balances of a namespace. */
  forget(namespace: string): void {
    this.#accounts.delete(namespace)
  }

  #accountsOf(namespace: string): Map<string, Account> {
    let accounts = this.#accounts.get(namespace)
    if (!accounts) this.#accounts.set(namespace, (accounts = new Map()))
    return accounts
  }

  #open(namespace: string, name: string, label: string, balance: number | undefined): Account {
    const account = new Account(label, balance, this.#tasks, (task) => {
      this.#changes.note('account', namespace, name)
      if (task !== undefined) this.#changes.note('reserved', namespace, name, task)
    })
    this.#accountsOf(namespace).set(name, account)
    return account
  }
}

/** The visible part of a key in the usage. A namespace's key is not a secret, but is shortened too. */
function labelOf(credential: string): string {
  return credential.startsWith('sk-sim-') ? `…${credential.slice('sk-sim-'.length)}` : maskKey(credential)
}
