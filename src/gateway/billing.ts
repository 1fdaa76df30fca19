import type { TaskStore } from '../engine/tasks.ts'
import { Account, type KeyUsage } from './account.ts'
import type { KeyRecord } from './keys.ts'
import { quotaOf, priceOf, type Price, type Work } from './prices.ts'

/** Nobody makes more keys than this for one test; who does shares the last account. */
export const mostKeys = 10_000

/** What things cost and who has spent what: an account for each key in each namespace. */
export class Billing {
  readonly prices: readonly Price[]
  readonly discount: number
  readonly #tasks: Pick<TaskStore, 'find' | 'view'>
  readonly #accounts = new Map<string, Map<string, Account>>()

  /** @param options `discount` is the share of every price that is paid: 1 is all of it. */
  constructor(options: {
    prices: readonly Price[]
    discount: number
    tasks: Pick<TaskStore, 'find' | 'view'>
  }) {
    this.prices = options.prices
    this.discount = options.discount
    this.#tasks = options.tasks
  }

  /** What a piece of work costs with a model, in the gateway's units. */
  quotaFor(model: string, work: Work): number {
    return quotaOf(priceOf(this.prices, model), work, this.discount)
  }

  /** The account of a key in a namespace. */
  account(namespace: string, credential: string, key: Pick<KeyRecord, 'balance'> | undefined): Account {
    let accounts = this.#accounts.get(namespace)
    if (!accounts) this.#accounts.set(namespace, (accounts = new Map()))
    const name = accounts.size < mostKeys || accounts.has(credential) ? credential : ''
    let account = accounts.get(name)
    if (!account) accounts.set(name, (account = new Account(credential, key?.balance, this.#tasks)))
    return account
  }

  /** What the keys of a namespace have used, up to an instant. */
  usage(namespace: string, now: number): KeyUsage[] {
    return [...(this.#accounts.get(namespace)?.values() ?? [])].map((account) => account.usage(now))
  }

  /** Balances are whole again, as if nothing had been asked. */
  forget(namespace: string): void {
    this.#accounts.delete(namespace)
  }
}

/**
 * The account of whoever asks. A surface asks it before it does anything, and refuses in its own envelope:
 *
 * @example
 * const account = accountOf(context)
 * const quota = context.billing.quotaFor('mj_imagine', { task: true })
 * const shortage = account.shortage(quota, context.now)
 * if (shortage) throw taskError(403, shortage.code, shortage.message)
 * account.charge({ quota, task: context.tasks.submit(record) }, context.now)
 */
export function accountOf(context: {
  billing: Billing
  namespace: { name: string }
  credential: string
  key: KeyRecord | undefined
}): Account {
  return context.billing.account(context.namespace.name, context.credential, context.key)
}
