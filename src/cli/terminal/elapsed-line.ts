import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Terminal } from './command.ts'

/**
 * Shows what is being done and for how long already, while somebody looks on.
 *
 * @param what gives the line without its time.
 * @returns a function that takes the line away.
 */
export function showElapsed({ progress }: Terminal, what: () => string): () => void {
  if (!progress) return () => {}
  const startMs = hostTimers.elapsedMs()
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const show = (): void => {
    progress(`${what()}: ${((hostTimers.elapsedMs() - startMs) / 1_000).toFixed(1)} s`)
    timer = hostTimers.setTimeout(show, 100)
  }
  show()
  return () => {
    hostTimers.clearTimeout(timer)
    progress('')
  }
}
