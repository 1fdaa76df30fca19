import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'
import type { Environment } from './command.ts'

const intervalMs = 250

/**
 * Calls `end` when the `npx` or `npm run` that started this process has ended. npm passes a signal only to its shell.
 * Without this, `npx greenroom serve & kill $!` would leave the server running. A script with `&` starts a server
 * intentionally.
 */
export function endWithNpx({ npm_lifecycle_script: script = '' }: Environment, end: () => void): void {
  if (!/^'?greenroom\b[^&]*$/.test(script)) return
  const parent = process.ppid
  const check = (): void => {
    if (process.ppid === parent) unref(hostTimers.setTimeout(check, intervalMs))
    else end()
  }
  check()
}
