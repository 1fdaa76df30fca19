import { ClockClosed } from './clock-settings.ts'
import type { Waiter, Waiters } from './waiters.ts'

/** A wait before it is parked. */
export interface Wait extends Omit<Waiter, 'wake' | 'end'> {
  readonly signal?: AbortSignal | undefined
  /** Called once when the wait is over, however it ends. */
  readonly onOver: () => void
  /** Called when the client leaves, after the waiter is gone. */
  readonly onLeave: () => void
}

/**
 * Adds a waiter and resolves when it wakes.
 *
 * @throws The signal's reason when the client leaves. {ClockClosed} for a response, when the clock closes.
 */
export function parkedWait(waiters: Waiters, { signal, onOver, onLeave, ...waiter }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      remove()
      onOver()
      onLeave()
      reject(signal!.reason as Error)
    }
    const over = (): void => {
      signal?.removeEventListener('abort', leave)
      onOver()
    }
    const wake = (): void => {
      over()
      resolve()
    }
    const end = (): void => {
      over()
      reject(new ClockClosed())
    }
    const remove = waiters.add({ ...waiter, wake, ...(waiter.waiting.kind === 'answer' && { end }) })
    signal?.addEventListener('abort', leave, { once: true })
  })
}
