import { Worker } from 'node:worker_threads'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { exitCodes, type Terminal } from './command.ts'

/** How long a server may take to end, in real time. Docker and many others kill after ten seconds, some after five. */
export const maxShutdownMs = 4_500
/** How long a worker may take to stop where it stands. Only native code takes longer. */
const maxStopMs = 300

/** What a command in a worker tells the thread that started it. */
export type WorkerMessage =
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'warn'; readonly text: string }
  | { readonly type: 'done'; readonly code: number }

/**
 * Runs a command line in a worker thread. This thread does nothing else, so that signals are handled however busy the event
 * loop of the worker is: it then stops the worker.
 *
 * @param program what the worker runs: the program itself.
 * @param terminal where the output of the worker goes; `interrupted` resolves at the first signal.
 * @returns the exit code. Where the worker can't be stopped, the process kills itself.
 */
export async function superviseCommand(
  program: URL,
  words: readonly string[],
  terminal: Pick<Terminal, 'print' | 'warn' | 'interrupted'>,
): Promise<number> {
  const worker = new Worker(program, { argv: [...words] })
  const overdue = terminal.interrupted.then(() => {
    worker.postMessage('interrupt')
    return delay(maxShutdownMs)
  })
  const code = await Promise.race([endOf(worker, terminal), overdue])
  if (code === undefined) {
    terminal.warn(
      `warning: The server did not end within ${maxShutdownMs / 1_000} s of the signal. Stopping it.`,
    )
  }
  // Timers of the user's handlers may keep the worker alive.
  const isStopped = await Promise.race([worker.terminate().then(() => true), delay(maxStopMs)])
  if (!isStopped) process.kill(process.pid, 'SIGKILL')
  return code ?? exitCodes.interrupted
}

/** The exit code of the command in a worker, once it is done and its output has had time to arrive. */
function endOf(worker: Worker, { print, warn }: Pick<Terminal, 'print' | 'warn'>): Promise<number> {
  return new Promise((resolve) => {
    let code: number | undefined
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'print') print(message.text)
      else if (message.type === 'warn') warn(message.text)
      else {
        code = message.code
        void delay(maxStopMs).then(() => resolve(message.code))
      }
    })
    worker.on('error', ({ message }: Error) => {
      warn(`greenroom failed: ${message}`)
      code = exitCodes.cannotStart
    })
    worker.on('exit', (status) => resolve(code ?? status))
  })
}

/** Resolves after a time, but does not keep the process alive: the worker does. */
function delay(delayMs: number): Promise<undefined> {
  return new Promise((resolve) => {
    hostTimers.setTimeout(() => resolve(undefined), delayMs).unref()
  })
}
