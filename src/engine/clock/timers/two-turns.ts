import type { HostTimers } from './host-timers.ts'

/** Two turns of the event loop: enough for woken code to respond and for its response to reach the socket. */
export function twoTurns(host: HostTimers): Promise<void> {
  return new Promise((resolve) => {
    host.setImmediate(() => host.setImmediate(resolve))
  })
}
