import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Terminal } from '../../src/cli/terminal/command.ts'
import { runCommandLine } from '../../src/cli/terminal/run-command-line.ts'

export interface Ran {
  code: number
  printed: string
  warned: string
  folder: string
}

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder with these files; it goes when the tests of the file are over. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-cli-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** Runs a command line in a folder; a server ends as soon as it has begun. */
export async function runIn(
  folder: string,
  words: readonly string[],
  more: Partial<Terminal> = {},
): Promise<Ran> {
  const ran: Ran = { code: -1, printed: '', warned: '', folder }
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  ran.code = await runCommandLine(words, {
    print: (text) => {
      ran.printed += `${text}\n`
      interrupt()
    },
    warn: (text) => (ran.warned += `${text}\n`),
    interrupted,
    folder,
    environment: {},
    ...more,
  })
  return ran
}

/** Runs a command line in a new folder with these files. */
export function run(
  words: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Ran> {
  return runIn(folderWith(files), words)
}

/** `serve` on a free port, with nothing left behind. */
export const serve = (...words: string[]): string[] => ['serve', '--port', '0', '--no-cache', ...words]
