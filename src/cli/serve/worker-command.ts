import { parentPort } from 'node:worker_threads'
import { runCommandLine } from '../terminal/run-command-line.ts'
import type { WorkerMessage } from '../terminal/supervise.ts'

/** Runs the command line of this worker thread for the thread that supervises it. */
export async function runInWorker(words: readonly string[]): Promise<void> {
  const port = parentPort!
  const send = (message: WorkerMessage): void => port.postMessage(message)
  const code = await runCommandLine(words, {
    print: (text) => send({ type: 'print', text }),
    warn: (text) => send({ type: 'warn', text }),
    interrupted: new Promise((resolve) => port.once('message', () => resolve())),
    folder: process.cwd(),
    environment: process.env,
  })
  send({ type: 'done', code })
  port.unref()
}
