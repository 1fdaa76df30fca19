import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  createSimulator,
  type EmbeddedOptions,
  type EmbeddedSimulator,
  type Snapshot,
} from '../../src/index.ts'
import { withStateFolder, type StateFolderOptions } from '../../src/server/state/state-folder.ts'
import { lineOf } from '../../src/server/state/state-log.ts'

export const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'greenroom-state-'))

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = makeFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Stored extends AsyncDisposable {
  readonly sim: EmbeddedSimulator
  readonly call: (path: string, init?: RequestInit) => Promise<Response>
  readonly warnings: string[]
  readonly close: () => Promise<void>
}

/** A simulator that is restored from a folder and stored there. */
export async function startStored(
  folder: string,
  options: EmbeddedOptions = {},
  more: Partial<StateFolderOptions> = {},
): Promise<Stored> {
  const sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false, seed: 7, ...options })
  const warnings: string[] = []
  const { mode, rate } = sim.clock.status()
  const clock = { mode, rate: mode === 'scaled' ? rate : 1 }
  const core = await withStateFolder(folder, sim.core, {
    clock,
    onWarning: (message) => warnings.push(message),
    ...more,
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= core.close())
  return { sim, warnings, call: (path, init) => sim.fetch(path, init), close, [Symbol.asyncDispose]: close }
}

export const fileIn = (folder: string): string => join(folder, 'state.log')

/** A folder with the file as it is now, which is what `kill -9` would leave. */
export function copyAsKilled(folder: string): string {
  const copy = newFolder()
  copyFileSync(fileIn(folder), fileIn(copy))
  return copy
}

/** A disk that fails while there is an error. */
export function failingDisk(): { error: () => Error | undefined; write: typeof writeSync } {
  const disk = {
    error: (): Error | undefined => undefined,
    write: ((file: number, bytes: Buffer, from: number, length: number, position: number) => {
      const error = disk.error()
      if (!error) return writeSync(file, bytes, from, length, position)
      // A full disk has room for the beginning.
      writeSync(file, bytes, from, Math.min(length, 600), position)
      throw error
    }) as typeof writeSync,
  }
  return disk
}

/** The lines of a closed folder: its head, then lists of changes. */
export const linesIn = (folder: string): unknown[] =>
  readFileSync(fileIn(folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line.slice(9)) as unknown)

/** Changes the lines of a closed folder, as a server would that writes the right checksums. */
export function editStore(folder: string, edit: (lines: unknown[]) => unknown[] | void): void {
  const lines = linesIn(folder)
  let last = 0
  const written = (edit(lines) ?? lines).map((value) => {
    const { line, sum } = lineOf(value, last)
    last = sum
    return line
  })
  writeFileSync(fileIn(folder), Buffer.concat(written))
}

/** All that can be seen of a simulator, and every value of its state. */
export function everythingOf({ sim }: Stored): unknown {
  // The time of the host is another one at each look.
  const withoutWall = ([part, names, value]: Snapshot['state'][number]): string =>
    JSON.stringify([part, names, part === 'clock' ? { ...(value as object), wall: 0 } : value])
  // Usage settles the reservations of tasks that have ended.
  const seen = [sim.tasks(), sim.usage(), sim.clock.now(), sim.rules()]
  return [...seen, sim.core.control.state.snapshot().state.map(withoutWall).toSorted()]
}
