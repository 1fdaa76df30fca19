import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb'
import { onTestFinished } from 'vitest'
import {
  createSimulator,
  type EmbeddedOptions,
  type EmbeddedSimulator,
  type Snapshot,
} from '../../src/index.ts'
import { digestOf, headKey, StateSum, sumKey } from '../../src/server/state/state-sum.js'
import { withStateFolder, type StateFolderOptions } from '../../src/server/state/state-folder.ts'

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

export const fileIn = (folder: string): string => join(folder, 'state.mdb')

/** A folder with the file as it is now, which is what `kill -9` would leave. */
export function copyAsKilled(folder: string): string {
  const copy = newFolder()
  copyFileSync(fileIn(folder), fileIn(copy))
  return copy
}

type Key = string | [part: string, place: number]
export type Database = RootDatabase<unknown, Key>

/** Loads lmdb, with transactions that do something else. */
export function loadWith(
  transact: (run: (action: () => unknown, flags?: number) => unknown) => Database['transactionSync'],
): Pick<StateFolderOptions, 'load'> {
  const openChanged = (options: RootDatabaseOptionsWithPath): Database => {
    const database: Database = open(options)
    return Object.assign(database, { transactionSync: transact(database.transactionSync.bind(database)) })
  }
  return { load: () => Promise.resolve({ open: openChanged as typeof open }) }
}

/** Changes what a closed folder contains, as a server would that stores the sum of all values. */
export async function editStore(folder: string, edit: (database: Database) => void): Promise<void> {
  const database: Database = open({ path: fileIn(folder), encoding: 'json', overlappingSync: false })
  database.transactionSync(() => {
    edit(database)
    const sum = new StateSum()
    for (const { key, value } of database.getRange())
      if (key === headKey || typeof key !== 'string') sum.add(digestOf(key, JSON.stringify(value)))
    database.putSync(sumKey, JSON.parse(String(sum)))
  })
  await database.close()
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
