#!/usr/bin/env node
import { writtenHelp } from './written-help.ts'

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

async function answer(words: readonly string[]): Promise<void> {
  const help = writtenHelp(words, process.env)
  if (help !== undefined) return void process.stdout.write(`${help}\n`)
  const { runCommandLine } = await import('./run-command-line.ts')
  process.exitCode = await runCommandLine(words, {
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
}

await answer(process.argv.slice(2))
