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

process.exitCode = await runCommandLine(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  interrupted,
  folder: process.cwd(),
  environment: process.env,
})
