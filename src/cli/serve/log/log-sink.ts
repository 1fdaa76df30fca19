import { pino } from 'pino'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import type { Terminal } from '../../terminal/command.ts'

/** Where log lines go. */
export interface LogSink {
  /** Never waits. @param text one or more whole lines, with their line breaks. */
  readonly write: (text: string) => void
  /** Waits for what is left, but not for long. */
  readonly end: () => Promise<void>
}

/** How much may wait for a slow reader, in bytes. Lines beyond it are dropped and counted. */
const maxWaitingBytes = 1024 * 1024
/** How long the end waits for a slow reader. */
const maxEndMs = 500

/**
 * Writes to standard output in the background: a pipe or a terminal that is not read must not stop the server. Without a
 * screen, as in tests, lines are printed.
 *
 * @param onDropped called once lines can be written again, with the number of those that were dropped.
 */
export function openSink(
  { screen, print, atExit }: Pick<Terminal, 'screen' | 'print' | 'atExit'>,
  onDropped: (count: number) => void,
): LogSink {
  if (!screen) return { write: (text) => print(text.trimEnd()), end: async () => {} }
  let hasEnded = false
  let dropped = 0
  // Before pino registers its own flush, which would wait for a reader without end.
  atExit?.(() => {
    hasEnded = true
    destination.destroy()
  })
  const destination = pino.destination({
    fd: screen.fd,
    sync: false,
    maxLength: maxWaitingBytes,
    retryEAGAIN: () => !hasEnded,
  })
  const closed = new Promise<void>((resolve) => {
    destination.once('close', resolve)
    // A closed pipe, as in `greenroom serve | head`, is no error.
    destination.on('error', () => resolve())
  })
  destination.on('drop', () => dropped++)
  destination.on('drain', () => {
    if (dropped === 0 || hasEnded) return
    const count = dropped
    dropped = 0
    onDropped(count)
  })
  return {
    write: (text) => {
      if (!hasEnded) destination.write(text)
    },
    end: async () => {
      if (hasEnded) return
      destination.end()
      let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
      const timeout = new Promise<void>((resolve) => (timer = hostTimers.setTimeout(resolve, maxEndMs)))
      await Promise.race([closed, timeout])
      hostTimers.clearTimeout(timer)
      hasEnded = true
      destination.destroy()
    },
  }
}
