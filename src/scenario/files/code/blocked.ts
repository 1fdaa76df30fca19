import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

let isProgram = false

/** Lets {@link watchBlocking} end the process. Only programs of greenroom call it: a process of a user is not ours to end. */
export function endWhenBlocked(): void {
  isProgram = true
}

/**
 * The program of the thread that watches. It counts processor time, since a busy machine may take long for any code. Only a
 * signal ends a process whose main thread is blocked, and only one without a listener there.
 */
const program = `
const { workerData: { over, limitMs, message } } = require('node:worker_threads')
const usedMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const endMs = usedMs() + limitMs
while (Atomics.wait(over, 0, 0, Math.max(50, endMs - usedMs())) === 'timed-out') {
  if (usedMs() < endMs) continue
  try {
    require('node:fs').writeSync(2, message)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}`

/**
 * Watches code of a user, which may block the event loop without an end.
 *
 * @param message what the process says before it ends.
 * @param limitMs of processor time.
 * @returns ends the watch. Call it when the code has returned.
 */
export function watchBlocking(message: string, limitMs: number): () => void {
  if (!isProgram || isDebugged()) return () => {}
  const over = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { over, limitMs, message: `error: ${message}\n` }
  new Worker(program, { eval: true, execArgv: [], workerData }).unref()
  return () => {
    Atomics.store(over, 0, 1)
    Atomics.notify(over, 0)
  }
}

/** Whether a debugger may be connected. Some builds of Node have none. */
function isDebugged(): boolean {
  if (!process.features.inspector) return false
  const { url } = createRequire(import.meta.url)('node:inspector') as typeof import('node:inspector')
  return url() !== undefined
}
