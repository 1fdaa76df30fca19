import { BoundedMap } from '../engine/bounded-map.ts'
import { hostTimers, unref } from '../engine/clock/timers/host-timers.ts'
import type { Simulator } from '../simulator/simulator.ts'

/** The maximum real time between two submissions of which one was not intended. Two clicks are further apart. */
const maxApartMs = 200
/** How long in real time a third submission may take to come, which shows that several are intended. */
const waitForMoreMs = 50
const maxKnown = 100

/** A submission, as its successors see it. */
interface Submission {
  readonly id: string
  readonly ms: number
  /** How many equal ones have come with it: an effect runs twice, and a page that wants variants often submits more. */
  count: number
}

/** The listeners that know of a double submission. One line is enough, also for the many simulators of an exploration. */
const warned = new WeakSet<(message: string) => void>()

/**
 * Warns once that a page submitted a job twice at once, as it does with React's StrictMode. Both cost.
 * @param options `isPage`: whether the program is a page, or has a document such as that of jsdom. `mustOverlap`: whether the second
 * request must come before the first response was sent. In a page, MSW's worker may pass on one after the other. In jsdom, a test on
 * virtual time can submit the same job again within milliseconds.
 */
export function warnOfDoubleSubmits(
  { events, namespaces }: Pick<Simulator, 'events' | 'namespaces'>,
  warn: (message: string) => void,
  { isPage, mustOverlap }: { isPage: () => boolean; mustOverlap: boolean },
): void {
  const known = new BoundedMap<Submission>(maxKnown)
  events.on('task.submitted', ({ task: { id, namespace, operation, identity } }) => {
    if (warned.has(warn) || !isPage()) return
    const key = `${namespace} ${identity}`
    const before = known.get(key)
    const ms = hostTimers.elapsedMs()
    if (before === undefined || ms - before.ms > maxApartMs) return void known.set(key, { id, ms, count: 1 })
    if (++before.count > 2) return
    const [first] = namespaces.get(namespace).journal.entries({ task: before.id })
    const isOpen = first?.outcome === 'open'
    if (!isOpen && (mustOverlap || first?.outcome !== 'completed')) return
    // A client that lost the response, or gave up waiting for it, has to submit again.
    if (first.fault !== null || first.delayMs > 0) return
    const warnOfTwo = (): void => {
      if (before.count > 2 || warned.has(warn)) return
      warned.add(warn)
      warn(
        `The page submitted the same job twice at once (${operation}), and each costs. In development, React's StrictMode runs effects ` +
          'twice: submit when the user asks for it, or at most once for each prompt.',
      )
    }
    unref(hostTimers.setTimeout(warnOfTwo, waitForMoreMs))
  })
}
