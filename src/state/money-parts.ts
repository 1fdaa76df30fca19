import type { Reservation, Spent } from '../gateway/accounts/account.ts'
import type { RateWindow } from '../gateway/accounts/rates.ts'
import { definePart, inNamespace, type Names, type Part, type StateParts } from './parts.ts'
import { countOf, fieldsOf, flagOf, numberOf, textOf } from './shape.ts'

/** What keys have used, what is set aside for their tasks, and how often they asked. */
export function moneyParts({ billing, rates }: StateParts): Readonly<Record<string, Part>> {
  function* reserved(): Generator<Names> {
    for (const [namespace, name] of billing.all()) {
      for (const task of billing.known(namespace, name)!.reservedTasks()) yield [namespace, name, task]
    }
  }
  return {
    account: definePart<Spent>({
      all: (namespace) => inNamespace(billing.all(), namespace),
      read: (namespace, name) => billing.known(namespace!, name!)?.past,
      check: checkSpent,
      write: (spent, namespace, name) => billing.restore(namespace!, name!, spent),
    }),
    reserved: definePart<Reservation>({
      all: (namespace) => inNamespace(reserved(), namespace),
      read: (namespace, name, task) => billing.known(namespace!, name!)?.reservation(task!),
      check: (value, where) => {
        const { quota, endsAt, spends } = fieldsOf(value, where)
        return {
          quota: numberOf(quota, `${where}.quota`),
          endsAt: endsAt === null ? null : numberOf(endsAt, `${where}.endsAt`),
          spends: flagOf(spends, `${where}.spends`),
        }
      },
      write: (reservation, namespace, name, task) => {
        const account = billing.known(namespace!, name!)
        account?.release(task!)
        account?.reserve(task!, reservation)
      },
      remove: (namespace, name, task) => billing.known(namespace!, name!)?.release(task!),
    }),
    rate: definePart<RateWindow>({
      all: (namespace) => inNamespace(rates.all(), namespace),
      read: (namespace, name) => {
        const window = rates.window(namespace!, name!)
        return window && { ...window }
      },
      check: (value, where) => {
        const { opened, count } = fieldsOf(value, where)
        return { opened: numberOf(opened, `${where}.opened`), count: countOf(count, `${where}.count`) }
      },
      write: (window, namespace, name) => rates.restoreWindow(namespace!, name!, window),
    }),
  }
}

function checkSpent(value: unknown, where: string): Spent {
  const { label, spent, tasks, seconds, tokens } = fieldsOf(value, where)
  const { input, output } = fieldsOf(tokens, `${where}.tokens`)
  return {
    label: textOf(label, `${where}.label`),
    spent: numberOf(spent, `${where}.spent`),
    tasks: countOf(tasks, `${where}.tasks`),
    seconds: numberOf(seconds, `${where}.seconds`),
    tokens: {
      input: numberOf(input, `${where}.tokens.input`),
      output: numberOf(output, `${where}.tokens.output`),
    },
  }
}
