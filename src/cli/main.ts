#!/usr/bin/env node
import { runCommandLine } from './run-command-line.ts'

const interrupted = new Promise<void>((resolve) => {
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

process.exitCode = await runCommandLine(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stderr.isTTY ? { progress: showProgress } : {}),
  interrupted,
  atExit: (cleanUp) => {
    process.once('exit', cleanUp)
    return () => void process.removeListener('exit', cleanUp)
  },
  folder: process.cwd(),
  environment: process.env,
})
