import type { StoredResponse } from '../../apis/responses/store.ts'
import type { Reservation } from '../../gateway/accounts/account.ts'
import { amount, count, fields, flag, items, listOf, nullable, objectOf, oneOf, text } from './checks.ts'
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

const checkResponse = objectOf({
  key: text,
  at: count,
  completesAt: amount,
  previous: nullable(text),
  turns: listOf(objectOf({ role: oneOf('user', 'assistant', 'tool'), parts: items })),
  input: listOf(fields),
  response: fields,
})

/** What each key has used, what is reserved for its tasks, its rate window, and the responses it has stored. */
export function accountParts({ billing, rates, responses }: StateHolders): Parts {
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
    response: definePart<StoredResponse>({
      list: (namespace) => inNamespace(responses.all(), namespace),
      read: (namespace, id) => responses.get(namespace!, id!),
      check: (value, path) => checkResponse(value, path) as unknown as StoredResponse,
      write: (stored, namespace, id) => responses.put(namespace!, id!, stored),
    }),
  }
}
