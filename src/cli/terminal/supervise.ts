import { parentPort, Worker } from 'node:worker_threads'
import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'
import { exitCodes, formatError, type Terminal, type Environment } from './command.ts'
import { runCommandLine } from './command-line.ts'
import { openScreen } from './screen.ts'

/** How long a command may take to end after a signal. Docker and others kill after ten seconds, some after five. */
export const maxShutdownMs = 4_500
/** How long a worker may take to stop. Only native code takes longer. */
const maxStopMs = 300

type Message =
  | { readonly type: 'print'; readonly text: string }
  | { readonly type: 'warn'; readonly text: string }
  | { readonly type: 'done'; readonly code: number }

/** The message that forwards a signal to the worker. */
const interrupt = 'interrupt'

/**
 * Waits for a command. After a signal, waits at most {@link maxShutdownMs}.
 * @returns its exit code; undefined if it did not end in time.
 */
export async function endInTime(
  command: Promise<number>,
  { interrupted, warn }: Pick<Terminal, 'interrupted' | 'warn'>,
): Promise<number | undefined> {
  const code = await Promise.race([command, interrupted.then(() => delay(maxShutdownMs))])
  if (code === undefined) {
    warn(`warning: The server did not end within ${maxShutdownMs / 1_000} s of the signal. Stopping it.`)
  }
  return code
}

/**
 * Runs a command line in a worker thread, where code of the user may block the event loop. This thread does nothing else,
 * so it still handles signals and can stop the worker.
 */
export class CommandWorker {
  readonly #program: URL
  readonly #words: readonly string[]
  #worker: Worker | undefined

  /** @param program the file of the program. In a worker, it calls {@link serveParent}. */
  constructor(program: URL, words: readonly string[]) {
    this.#program = program
    this.#words = words
  }

  /** @returns the exit code, after time for the output to arrive. */
  run({ print, warn, interrupted }: Terminal): Promise<number> {
    const worker = new Worker(this.#program, { argv: [...this.#words] })
    this.#worker = worker
    void interrupted.then(() => worker.postMessage(interrupt))
    return new Promise((resolve) => {
      let code: number | undefined
      worker.on('message', (message: Message) => {
        if (message.type === 'print') print(message.text)
        else if (message.type === 'warn') warn(message.text)
        else {
          code = message.code
          void delay(maxStopMs).then(() => resolve(message.code))
        }
      })
      worker.on('error', ({ message }: Error) => {
        warn(formatError(message))
        code = exitCodes.cannotStart
      })
      worker.on('exit', (status) => resolve(code ?? status))
    })
  }

  /** Stops the worker, because the user's timers may keep it alive. If it can't be stopped, the process kills itself. */
  async stop(): Promise<void> {
    if (!this.#worker) return
    const isStopped = await Promise.race([this.#worker.terminate().then(() => true), delay(maxStopMs)])
    if (!isStopped) process.kill(process.pid, 'SIGKILL')
  }
}

/**
 * Runs the command line of this worker thread for a {@link CommandWorker}.
 * @param onStray registers a function for the errors that nothing else catches.
 */
export async function serveParent(
  words: readonly string[],
  onStray: (receive: (error: unknown) => void) => void,
): Promise<void> {
  const port = parentPort!
  const send = (message: Message): void => port.postMessage(message)
  onStray((error) =>
    send({ type: 'warn', text: `${formatError(describeStray(error))} The server continues.` }),
  )
  const code = await runCommandLine(words, {
    print: (text) => send({ type: 'print', text }),
    warn: (text) => send({ type: 'warn', text }),
    interrupted: new Promise((resolve) => {
      port.on('message', (message) => {
        if (message === interrupt) resolve()
      })
    }),
    screen: openScreen(process.env),
    folder: process.cwd(),
    environment: process.env,
  })
  send({ type: 'done', code })
  port.unref()
}

/** An error of the user's code that no call of it could catch: of a timer, or a promise that nothing waits for. */
export function describeStray(error: unknown): string {
  const { message = String(error), stack = '' } = error instanceof Error ? error : {}
  const [, place] = /^ +at (?:.*\()?(?:file:\/\/)?(\S+:\d+:\d+)\)?$/m.exec(stack) ?? []
  const at = place ? `${place}: ` : ''
  return `${at}Code outside of any call failed: ${message}. Catch it in a timer or a promise of your code.`
}

/** Resolves after a time, but does not keep the process alive. */
function delay(delayMs: number): Promise<undefined> {
  return new Promise((resolve) => {
    hostTimers.setTimeout(() => resolve(undefined), delayMs).unref()
  })
}

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
