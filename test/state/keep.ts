import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFetch } from '../../src/transports/fetch/create-fetch.ts'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'
import { keptIn, type StateFolderOptions } from '../../src/server/state-folder.ts'

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Kept extends AsyncDisposable {
  readonly sim: EmbeddedSimulator
  readonly call: (path: string, init?: RequestInit) => Promise<Response>
  readonly warnings: string[]
  readonly close: () => Promise<void>
}

/** A simulator that goes on from a folder and is kept there. */
export function keep(
  folder: string,
  options: EmbeddedOptions = {},
  more: Partial<StateFolderOptions> = {},
): Kept {
  const sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false, seed: 7, ...options })
  const warnings: string[] = []
  const { mode, rate } = sim.clock.status()
  const clock = { mode, rate: mode === 'scaled' ? rate : 1 }
  const core = keptIn(folder, sim.core, { clock, onWarning: (message) => warnings.push(message), ...more })
  const fetching = createFetch(core)
  return {
    sim,
    warnings,
    call: (path, init) => fetching(path, init),
    close: core.close,
    [Symbol.asyncDispose]: core.close,
  }
}

export const fileIn = (folder: string): string => join(folder, 'state.jsonl')

/** What is written, without the room behind it. */
export const written = (folder: string): Buffer => {
  const bytes = readFileSync(fileIn(folder))
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 10) + 2)
}
