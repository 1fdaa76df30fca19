import { hostTimers } from '../engine/clock/timers/host-timers.ts'

/**
 * Makes things one after the other, a few ahead of the one that is waited for, and gives them in order. A turn
 * of the event loop lies between two beginnings, so that others get theirs.
 * @param options count how many; ahead how many may be under way; make begins the one with this index.
 */
export async function* inOrder<Thing>(options: {
  count: number
  ahead: number
  make: (index: number) => Promise<Thing>
}): AsyncGenerator<Thing> {
  const underWay: Promise<Thing>[] = []
  for (let next = 0; next < options.count || underWay.length > 0;) {
    if (next < options.count && underWay.length < options.ahead) {
      await nextTurn()
      const thing = options.make(next)
      // One that fails is reported when its turn comes; until then nobody listens.
      thing.catch(() => undefined)
      underWay.push(thing)
      next += 1
    } else {
      yield await underWay.shift()!
    }
  }
}

/** Lets the event loop turn once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => hostTimers.setImmediate(() => resolve()))
}
