#!/usr/bin/env node
import { isMainThread } from 'node:worker_threads'
import { writtenHelp } from './terminal/written-help.ts'

const words = process.argv.slice(2)

const interrupted = new Promise<void>((resolve) => {
  if (!isMainThread) return
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // The first signal ends in good order; a second one, where that takes too long, at once.
    process.once(signal, () => {
      process.once(signal, () => process.exit(130))
      resolve()
    })
  }
})

// A reader that went away, as in `greenroom --help | head -1`, is no reason to complain.
process.stdout.on('error', () => {})

function showProgress(line: string): void {
  // Back to the start and away with what stood there; a line that wraps could not be taken back.
  process.stderr.write(`\r\u001b[2K${line.slice(0, (process.stderr.columns || 80) - 1)}`)
}

async function answer(): Promise<void> {
  const help = writtenHelp(words, process.env)
  if (help !== undefined) return void process.stdout.write(`${help}\n`)
  const output = {
    print: (text: string) => void process.stdout.write(`${text}\n`),
    warn: (text: string) => void process.stderr.write(`${text}\n`),
    interrupted,
  }
  if (words[0] === 'serve') {
    const { superviseCommand } = await import('./terminal/supervise.ts')
    process.exitCode = await superviseCommand(new URL(import.meta.url), words, output)
    return
  }
  const { runCommandLine } = await import('./terminal/run-command-line.ts')
  process.exitCode = await runCommandLine(words, {
    ...output,
    ...(process.stderr.isTTY ? { progress: showProgress } : {}),
    atExit: (cleanUp) => {
      process.once('exit', cleanUp)
      return () => void process.removeListener('exit', cleanUp)
    },
    copyOutput: (chunk) => void process.stdout.write(chunk),
    folder: process.cwd(),
    environment: process.env,
  })
}

if (isMainThread) await answer()
else await (await import('./serve/worker-command.ts')).runInWorker(words)
