import { SonicBoom } from 'sonic-boom'
import { hostTimers } from '../../../engine/clock/timers/host-timers.ts'
import type { Terminal } from '../../terminal/command.ts'

/** The destination of log lines. */
export interface LogSink {
  /** Never waits. Texts of one turn are written together. @param text whole lines, with their line breaks. */
  readonly write: (text: string) => void
  /** Waits for the remaining lines, but not for long. */
  readonly end: () => Promise<void>
}

/** How many bytes may wait for a slow reader. Further lines are dropped and counted. */
const maxWaitingBytes = 1024 * 1024
/** How long the end waits for a slow reader. */
const maxEndMs = 500

/**
 * Writes to standard output in the background, because an unread pipe or terminal must not stop the server. Without a
 * screen, as in tests, lines are printed.
 *
 * @param onDropped called with the number of dropped lines, when lines can be written again.
 */
export function openSink(
  { screen, print, atExit }: Pick<Terminal, 'screen' | 'print' | 'atExit'>,
  onDropped: (count: number) => void,
): LogSink {
  if (!screen) return { write: (text) => print(text.trimEnd()), end: async () => {} }
  let hasEnded = false
  let dropped = 0
  let waiting = ''
  const destination = new SonicBoom({
    fd: screen.fd,
    sync: false,
    maxLength: maxWaitingBytes,
    retryEAGAIN: () => !hasEnded,
  })
  atExit?.(() => {
    hasEnded = true
    destination.destroy()
  })
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (!hasEnded && text !== '') destination.write(text)
  }
  const closed = new Promise<void>((resolve) => {
    destination.once('close', resolve)
    // A closed pipe, as in `greenroom serve | head`, is not an error.
    destination.on('error', () => resolve())
  })
  destination.on('drop', (text: string) => (dropped += text.split('\n').length - 1))
  destination.on('drain', () => {
    if (dropped === 0 || hasEnded) return
    const count = dropped
    dropped = 0
    onDropped(count)
  })
  return {
    write: (text) => {
      if (waiting === '') void Promise.resolve().then(flush)
      waiting += text
    },
    end: async () => {
      if (hasEnded) return
      flush()
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
