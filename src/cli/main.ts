#!/usr/bin/env node
import * as nodeModule from 'node:module'
import { isatty } from 'node:tty'
import { isMainThread } from 'node:worker_threads'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { endWhenBlocked } from '../files/code/blocked.ts'
import { describeFileError } from '../files/file-error.ts'
import { runCommandLine } from './terminal/command-line.ts'
import { exitCodes, formatError, type Terminal } from './terminal/command.ts'
import { exitProcess, refuseExits } from './terminal/exit.ts'
import { openScreen } from './terminal/screen.ts'
import { CommandWorker, describeStray, endInTime, endWithNpx, serveParent } from './terminal/supervise.ts'

const words = process.argv.slice(2)
// From version 22.1, Node can store compiled code in the folder for temporary files. Commands are loaded after this line.
const { enableCompileCache } = nodeModule as { enableCompileCache?: () => void }
enableCompileCache?.()

function connectTerminal(worker: CommandWorker): Terminal {
  let endsInOrder = false
  const interrupted = new Promise<void>((resolve) => {
    // SIGBREAK is the signal that programs can send on Windows.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
      // The first signal asks the command to end, if it waits for that; a second one ends the process at once.
      process.once(signal, () => {
        if (!endsInOrder) exitProcess(exitCodes.interrupted)
        process.once(signal, () => exitProcess(exitCodes.interrupted))
        resolve()
      })
    }
  })
  endWithNpx(process.env, () => process.emit('SIGTERM'))
  process.stdout.on('error', () => {})
  process.stdout.once('error', failForOutput)
  const { stdout } = process
  // Asks for descriptors, because `process.stdin` and `process.stderr` would open streams.
  const [hasInput, hasErrorScreen] = [isatty(0), isatty(2)]
  const terminal: Terminal = {
    print: (text) => void stdout.write(`${text}\n`),
    warn: (text) => void process.stderr.write(`${text}\n`),
    copyOutput: (chunk) => void process.stdout.write(chunk),
    copyErrors: (chunk) => void process.stderr.write(chunk),
    get interrupted() {
      endsInOrder = true
      return interrupted
    },
    ...(hasErrorScreen && { progress: showProgress }),
    screen: openScreen(process.env),
    atExit: (cleanUp) => {
      process.once('exit', cleanUp)
      return () => void process.removeListener('exit', cleanUp)
    },
    runInWorker: () => worker.run(terminal),
    ...(hasInput && hasErrorScreen && { ask: askQuestion }),
    folder: process.cwd(),
    environment: process.env,
  }
  return terminal
}

/**
 * Exits with an error if a report can't be written completely. A closed pipe, as in `greenroom --help | head -1`, is not an
 * error.
 */
function failForOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return
  process.stderr.write(`error: Failed to write to standard output: ${describeFileError(error)}.\n`)
  process.once('exit', (code) => (process.exitCode = code || exitCodes.badFile))
}

async function askQuestion(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // While it asks, readline gets the signals of the terminal. If the input is closed, the question is never answered.
  lines.once('SIGINT', () => exitProcess(exitCodes.interrupted))
  lines.once('close', () => process.stdin.readableEnded && exitProcess(exitCodes.interrupted))
  return lines.question(question).finally(() => lines.close())
}

/** Overwrites the line, truncated to the width of the terminal, because a wrapped line could not be overwritten. */
function showProgress(line: string): void {
  process.stderr.write(`\r\u001b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
}

refuseExits()
endWhenBlocked(exitCodes.stalled)
if (isMainThread) {
  const worker = new CommandWorker(new URL(import.meta.url), words)
  const terminal = connectTerminal(worker)
  process.on('uncaughtException', (error) => {
    terminal.warn(formatError(describeStray(error)))
    exitProcess(exitCodes.badFile)
  })
  const command = runCommandLine(words, terminal)
  // A run may need time until the processes of its command end.
  const code = words[0] === 'serve' ? await endInTime(command, terminal) : await command
  await worker.stop()
  if (code === undefined) exitProcess(exitCodes.interrupted)
  process.exitCode = code
  // Anything that the command left running ends soon after a signal.
  void terminal.interrupted.then(() => hostTimers.setTimeout(() => exitProcess(code), 300).unref())
} else await serveParent(words, (receive) => void process.on('uncaughtException', receive))
