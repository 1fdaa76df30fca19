import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ReadStream } from 'node:tty'

/**
 * Passes on single keys of a terminal. While it does, the terminal sends no signals, so the keys for them are handled here:
 * Ctrl-C, Ctrl-\ and Ctrl-Z. A process in the background must not touch the terminal, or the system would stop it.
 *
 * @param onInterrupt called for Ctrl-C and q.
 * @returns a function that stops it and restores the terminal.
 */
export function readKeys(
  input: ReadStream,
  onKey: (key: string) => void,
  onInterrupt: () => void,
): () => void {
  const release = (): void => {
    if (!input.isRaw) return
    input.setRawMode(false)
    input.off('data', read)
    input.pause()
  }
  const capture = (): void => {
    if (!isInForeground()) return
    // After a stop, Node's notion of the mode may be out of date.
    input.setRawMode(false)
    input.setRawMode(true)
    input.off('data', read)
    input.on('data', read)
    input.resume()
  }
  const signalJob = (signal: 'SIGTSTP' | 'SIGQUIT'): void => {
    if (process.platform === 'win32') return
    release()
    // The whole job, such as npm above this process: otherwise the shell would wait for it.
    process.kill(0, signal)
  }
  const read = (chunk: Buffer): void => {
    const text = chunk.toString('latin1')
    // Arrows and the like are sequences.
    if (text.startsWith('\u001b')) return
    for (const key of text) {
      if (key === '\u0003' || key === 'q') onInterrupt()
      else if (key === '\u001a') signalJob('SIGTSTP')
      else if (key === '\u001c') signalJob('SIGQUIT')
      else onKey(key)
    }
  }
  const stop = (): void => {
    release()
    input.off('error', stop)
    process.off('SIGCONT', capture)
    process.off('exit', release)
  }
  // As when the terminal is closed.
  input.on('error', stop)
  process.on('SIGCONT', capture)
  process.on('exit', release)
  capture()
  return stop
}

/** Whether this process may read the terminal: it is not a background job, as after `greenroom serve &`. */
function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  try {
    const status = readFileSync('/proc/self/stat', 'utf8')
    // After the name: state, parent, process group, session, terminal, group in the foreground.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return fields[2] === fields[5]
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' })
    return stdout?.includes('+') ?? false
  }
}
