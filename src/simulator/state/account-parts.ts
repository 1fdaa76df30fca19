import type { Reservation } from '../../gateway/accounts/account.ts'
import { amount, count, flag, nullable, objectOf, text } from './checks.ts'
import { definePart, inNamespace, type Names, type Parts, type StateHolders } from './parts.ts'

const checkSpent = objectOf({
  label: text,
  spent: amount,
  tasks: count,
  seconds: amount,
  tokens: objectOf({ input: amount, output: amount }),
})
const checkReservation = objectOf({ quota: amount, endsAt: nullable(amount), spends: flag })
const checkWindow = objectOf({ opened: amount, count })

/** What each key has used, what is reserved for its tasks, and its rate window. */
export function accountParts({ billing, rates }: StateHolders): Parts {
  function* reserved(): Generator<Names> {
    for (const [namespace, key] of billing.all()) {
      for (const task of billing.known(namespace, key)!.reservedTasks()) yield [namespace, key, task]
    }
  }
  return {
    account: definePart({
      list: (namespace) => inNamespace(billing.all(), namespace),
      read: (namespace, key) => billing.known(namespace!, key!)?.past,
      check: checkSpent,
      write: (spent, namespace, key) => billing.restore(namespace!, key!, spent),
    }),
    reserved: definePart<Reservation>({
      list: (namespace) => inNamespace(reserved(), namespace),
      read: (namespace, key, task) => billing.known(namespace!, key!)?.reservation(task!),
      check: checkReservation,
      write: (reservation, namespace, key, task) => {
        const account = billing.known(namespace!, key!)
        account?.release(task!)
        account?.reserve(task!, reservation)
      },
    }),
    rate: definePart({
      list: (namespace) => inNamespace(rates.all(), namespace),
      read: (namespace, key) => {
        const window = rates.window(namespace!, key!)
        return window && { ...window }
      },
      check: checkWindow,
      write: (window, namespace, key) => rates.restoreWindow(namespace!, key!, window),
    }),
  }
}
